// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace sparserl {

/// The times of a verdict record as a bundle states them. A bundle always names their source first.
struct BundleTimes
{
    enum class Source
    {
        None,      ///< No verdict, or one without times.
        Simulated, ///< From a device model; not valid for a GPU.
        Measured
    };
    Source source = Source::None;
    std::string device;              ///< "NVIDIA H200 (driver 580.82)"; safe in C, Python and Markdown.
    std::string baseline;            ///< Likewise; empty if there is none.
    double microseconds = 0;         ///< Median time of a product.
    double baselineMicroseconds = 0; ///< 0: none.
    double setupMicroseconds = 0;    ///< Conversion, copies and prepare kernels, without PTX compilation; 0:
                                     ///< none.

    /// The set-up time in products; 0 if either time is unknown.
    double setupProducts() const;
    /// The number of products after which the savings over the baseline exceed the set-up time; 0: never, or
    /// unknown.
    double paidAfterProducts() const;
};

/// Reads the times of a verdict record; none for null.
BundleTimes bundleTimes(const nlohmann::json& evidence);

/// The name of the source: "none", "simulated", "measured".
std::string nameOf(BundleTimes::Source source);

/// Sentences for the README: the verified properties, the device, and whether the times are measured.
std::string evidenceText(const nlohmann::json& evidence);

/// For manifest.json.
nlohmann::json toJson(const BundleTimes& times);

} // namespace sparserl
