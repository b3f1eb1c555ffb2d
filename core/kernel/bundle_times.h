// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace sparserl {

/// What a verdict record says about time, as a bundle repeats it: where the figures are from comes first.
struct BundleTimes
{
    enum class Source
    {
        None,      ///< No verdict, or one without times.
        Simulated, ///< Of a device model: they say nothing about a GPU.
        Measured
    };
    Source source = Source::None;
    std::string device;              ///< "NVIDIA H200 (driver 580.82)"; safe in C, Python and Markdown.
    std::string baseline;            ///< Likewise; empty where there is none.
    double microseconds = 0;         ///< Of a product, median.
    double baselineMicroseconds = 0; ///< 0: none.
    double setupMicroseconds = 0; ///< Conversion, copies and prepare kernels, without compiling PTX; 0: none.

    /// How many products take as long as the set-up; 0 where either is not known.
    double setupProducts() const;
    /// After how many products the set-up is paid for by what each saves against the baseline; 0: never, or
    /// not known.
    double paidAfterProducts() const;
};

/// Reads a verdict record; null gives no times.
BundleTimes bundleTimes(const nlohmann::json& evidence);

/// Name of the source: "none", "simulated", "measured".
std::string nameOf(BundleTimes::Source source);

/// Sentences for the README: what was verified where, and whether its times are measured.
std::string evidenceText(const nlohmann::json& evidence);

/// For manifest.json.
nlohmann::json toJson(const BundleTimes& times);

} // namespace sparserl
