// SPDX-License-Identifier: Apache-2.0
#include "kernel/bundle_times.h"

#include "base/json.h"

#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <string_view>

namespace sparserl {

namespace {

/// A name of a device or an algorithm. The record may be anybody's.
std::string plainName(std::string name)
{
    constexpr std::string_view others = "_-.,:() ";
    for (char& c : name) {
        if (!std::isalnum(static_cast<unsigned char>(c)) && others.find(c) == std::string_view::npos)
            c = '_';
    }
    return name.substr(0, 120);
}

double timeOf(const nlohmann::json& object, const char* key)
{
    const double time = jsonValue<double>(object, key, 0);
    return std::isfinite(time) && time > 0 ? time : 0;
}

} // namespace

double BundleTimes::setupProducts() const
{
    return microseconds > 0 ? setupMicroseconds / microseconds : 0;
}

double BundleTimes::paidAfterProducts() const
{
    const double saved = baselineMicroseconds - microseconds;
    return microseconds > 0 && saved > 0 ? std::ceil(setupMicroseconds / saved) : 0;
}

BundleTimes bundleTimes(const nlohmann::json& evidence)
{
    BundleTimes times;
    if (!evidence.is_object())
        return times;
    times.device = plainName(jsonValue<std::string>(evidence, "device", "an unknown device"));
    if (const auto warm = evidence.find("warm"); warm != evidence.end())
        times.microseconds = timeOf(*warm, "median");
    if (times.microseconds == 0)
        return times;
    times.source = jsonValue<bool>(evidence, "simulated", true) ? BundleTimes::Source::Simulated
                                                                : BundleTimes::Source::Measured;
    times.baselineMicroseconds = timeOf(evidence, "baseline_us");
    times.setupMicroseconds = timeOf(evidence, "setup_us");
    const auto algorithm = jsonValue<std::string>(evidence, "baseline_algorithm", {});
    if (times.baselineMicroseconds > 0)
        times.baseline = plainName(jsonValue<std::string>(evidence, "baseline", "the baseline") +
                                   (algorithm.empty() ? "" : " (" + algorithm + ")"));
    return times;
}

std::string nameOf(BundleTimes::Source source)
{
    switch (source) {
    case BundleTimes::Source::Simulated:
        return "simulated";
    case BundleTimes::Source::Measured:
        return "measured";
    case BundleTimes::Source::None:
        break;
    }
    return "none";
}

std::string evidenceText(const nlohmann::json& evidence)
{
    if (evidence.is_null())
        return "**It was exported without having been verified.**";
    const BundleTimes times = bundleTimes(evidence);
    std::string text = fmt::format("It was verified on this device: {}. ", times.device);
    if (times.source == BundleTimes::Source::None)
        return text + "It was not timed there.";
    std::string figures = fmt::format("{:.3g} us a product", times.microseconds);
    if (times.baselineMicroseconds > 0)
        figures += fmt::format(", against {:.3g} us of {}", times.baselineMicroseconds, times.baseline);
    if (times.setupProducts() > 0)
        figures += fmt::format("; converting and copying the matrix took the time of {:.0f} products",
                               std::ceil(times.setupProducts()));
    if (times.paidAfterProducts() > 0)
        figures += fmt::format(", which {:.0f} products pay for", times.paidAfterProducts());
    if (times.source == BundleTimes::Source::Simulated)
        return text + "**Its times are simulated, not measured on a GPU**: " + figures +
               ". Measure it on yours (see below) before you rely on them.";
    return text + "Its times were measured on that GPU: " + figures + ".";
}

nlohmann::json toJson(const BundleTimes& times)
{
    const bool known = times.source != BundleTimes::Source::None;
    const auto orNull = [](bool there, const auto& value) {
        return there ? nlohmann::json(value) : nlohmann::json();
    };
    return {{"source", nameOf(times.source)},
            {"device", orNull(known, times.device)},
            {"product_us", orNull(known, times.microseconds)},
            {"baseline", orNull(times.baselineMicroseconds > 0, times.baseline)},
            {"baseline_us", orNull(times.baselineMicroseconds > 0, times.baselineMicroseconds)},
            {"setup_us", orNull(times.setupMicroseconds > 0, times.setupMicroseconds)},
            {"setup_products", orNull(times.setupProducts() > 0, times.setupProducts())},
            {"paid_after_products", orNull(times.paidAfterProducts() > 0, times.paidAfterProducts())}};
}

} // namespace sparserl
