// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options_check.h"

#include "app/cli/usage.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace sparserl::cli {
namespace {

template <typename T>
bool isNumber(std::string_view text)
{
    if (text.starts_with('+'))
        text.remove_prefix(1);
    T value{};
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc() && end == text.data() + text.size();
}

bool isFinite(const std::string& text)
{
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    return !text.empty() && *end == '\0' && std::isfinite(value);
}

/// Texts for people.
bool mayBeEmpty(std::string_view option)
{
    return option == "--title" || option == "--attribution" || option == "--class";
}

/// " from 1 to 1024": what the option takes, or what fits if the text is a number that does not.
std::string limitsFor(const CLI::Option& option, const std::string& text)
{
    if (const auto range = declaredRange(option))
        return " from " + range->first + " to " + range->second;
    const bool isUnsigned = option.get_type_name().starts_with("UINT");
    if (text.find_first_not_of("+-0123456789") != std::string::npos)
        return isUnsigned ? " of at least 0" : "";
    return isUnsigned ? " from 0 to 18446744073709551615"
                      : " from -9223372036854775808 to 9223372036854775807";
}

} // namespace

void checkValues(const CLI::App& app)
{
    for (const CLI::Option* option : app.get_options()) {
        const std::string type = option->get_type_name();
        // "$HOST" of a script that never set it: without its value the command would do something else.
        if (!mayBeEmpty(option->get_name()))
            for (const std::string& text : option->results())
                if (text.empty())
                    throw CLI::ConversionError(option->get_name() + ": its value is empty");
        // "nan" passes every check of a range, and "inf" is no number of anything.
        if (type.starts_with("FLOAT")) {
            for (const std::string& text : option->results()) {
                if (!isFinite(text))
                    throw CLI::ConversionError(option->get_name() + ": \"" + text +
                                               "\" is not a finite number");
            }
            continue;
        }
        const bool isUnsigned = type.starts_with("UINT");
        if (!isUnsigned && !type.starts_with("INT"))
            continue;
        for (const std::string& text : option->results()) {
            if (!(isUnsigned ? isNumber<std::uint64_t>(text) : isNumber<std::int64_t>(text)))
                throw CLI::ConversionError(option->get_name() + ": \"" + text + "\" is not a whole number" +
                                           limitsFor(*option, text));
        }
    }
    for (const CLI::App* command : app.get_subcommands())
        checkValues(*command);
}

} // namespace sparserl::cli
