// SPDX-License-Identifier: Apache-2.0
#include "app/cli/number_checks.h"

#include <cmath>
#include <string>

namespace sparserl::cli {

namespace {

CLI::Validator finiteFrom(bool withZero, const char* name, const char* expected)
{
    return CLI::Validator(
        [withZero, expected](std::string& text) {
            double number = 0;
            const bool read = CLI::detail::lexical_cast(text, number);
            if (read && std::isfinite(number) && (withZero ? number >= 0 : number > 0))
                return std::string();
            return "must be a " + std::string(expected) + ", not " + text;
        },
        name);
}

} // namespace

CLI::Validator positiveNumber()
{
    return finiteFrom(false, "POSITIVE", "number above 0");
}

CLI::Validator nonNegativeNumber()
{
    return finiteFrom(true, "NONNEGATIVE", "number of at least 0");
}

} // namespace sparserl::cli
