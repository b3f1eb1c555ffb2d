// SPDX-License-Identifier: Apache-2.0
#include "training/parameters/temperatures.h"

#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

namespace sparserl {

Result<std::vector<double>> parseTemperatures(std::string_view key, const std::string& text)
{
    std::vector<double> values;
    for (const char* at = text.c_str(); *at != '\0';) {
        if (*at == ',' || *at == ' ') {
            ++at;
            continue;
        }
        char* end = nullptr;
        const double value = std::strtod(at, &end);
        if (end == at || !std::isfinite(value) || value <= 0 || (*end != ',' && *end != ' ' && *end != '\0'))
            return fail(fmt::format("{} is \"{}\", which is not a list of temperatures", key, text),
                        "Write numbers above 0, such as 0.3,0.5,0.7,1");
        values.push_back(value);
        at = end;
    }
    return values;
}

} // namespace sparserl
