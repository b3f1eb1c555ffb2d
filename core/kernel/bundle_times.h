// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace sparserl {

/// The times of a verdict record, in the form in which a bundle states them. A bundle always names their
/// source first.
struct BundleTimes
{
    enum class Source
    {
        None,      ///< There is no verdict, or it has no times.
        Simulated, ///< The times come from a device model and are not valid for a GPU.
        Measured
    };
    Source source = Source::None;
    std::string device;              ///< "NVIDIA H200 (driver 580.82)"; safe in C, Python and Markdown.
    std::string baseline;            ///< The baseline's name, equally safe; empty if there is no baseline.
    double microseconds = 0;         ///< Median time of a product.
    double baselineMicroseconds = 0; ///< 0 if there is no baseline.
    /// The time of conversion, copies and prepare kernels, without the compilation of PTX; 0 if unknown.
    double setupMicroseconds = 0;

    /// The set-up time divided by the time of a product; 0 if either time is unknown.
    double setupProducts() const;
    /// The number of products after which the time saved against the baseline exceeds the set-up time; 0 if
    /// this never happens or is unknown.
    double paidAfterProducts() const;
};

/// Reads the times of a verdict record. For null, the source is None.
BundleTimes bundleTimes(const nlohmann::json& evidence);

/// The name of the source: "none", "simulated", "measured".
std::string nameOf(BundleTimes::Source source);

/// Returns sentences for the README that state the verified properties, the device, and whether the times are
/// measured.
std::string evidenceText(const nlohmann::json& evidence);

/// Returns the times as JSON for manifest.json.
nlohmann::json toJson(const BundleTimes& times);

} // namespace sparserl
