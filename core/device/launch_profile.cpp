// SPDX-License-Identifier: Apache-2.0
#include "device/launch_profile.h"

#include "base/json.h"
#include "device/profile_fields.h"

#include <cmath>

namespace sparserl {

namespace {

constexpr int profileVersion = 2;

/// Of a file; a count that is no number is none.
constexpr Reading readProfile{true, true, false};

} // namespace

double roundedForProfile(double value)
{
    if (value == 0 || !std::isfinite(value))
        return 0;
    const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 5);
    return unit > 0 ? std::round(value / unit) * unit : 0; // The smallest numbers have no unit of six digits.
}

nlohmann::json toJson(const CallProfile& profile)
{
    auto json = writeFields(profile);
    json["version"] = profileVersion;
    return json;
}

Result<CallProfile> callProfileFromJson(const nlohmann::json& json)
{
    const auto refuse = [] { return fail("this is not a launch profile of this version"); };
    if (jsonValue(json, "version", 0) != profileVersion)
        return refuse();
    try {
        CallProfile profile;
        readFields(json, profile, readProfile);
        return profile;
    } catch (const nlohmann::json::exception&) {
        return refuse();
    }
}

} // namespace sparserl
