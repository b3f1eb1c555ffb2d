// SPDX-License-Identifier: Apache-2.0
#include "base/format_number.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

namespace sparserl {

namespace {

/// `number`: none where it is no whole number that can be held.
Status checkNumber(std::optional<std::int64_t> number, int known, const std::string& what,
                   const std::string& file, int line, const std::string& correct)
{
    if (!number || *number < 1)
        return failAt(file, line, fmt::format("the format of {} must be a whole number from 1", what),
                      fmt::format("Write {}, or restore the file", correct));
    if (*number > known)
        return fail(Error{
            known == 1
                ? fmt::format("{} has format {}, this program reads format 1", what, *number)
                : fmt::format("{} has format {}, this program reads formats 1 to {}", what, *number, known),
            file, line, "Use a newer version of SparseRL Workbench", ErrorKind::NewerVersion});
    return {};
}

} // namespace

Status checkFormat(const toml::table& table, int known, const std::string& what, const std::string& file)
{
    const toml::node* node = table.get("format");
    if (node == nullptr)
        return {};
    const auto* number = node->as_integer();
    return checkNumber(number != nullptr ? std::optional(number->get()) : std::nullopt, known, what, file,
                       static_cast<int>(node->source().begin.line), fmt::format("\"format = {}\"", known));
}

Status checkFormat(const nlohmann::json& object, int known, const std::string& what, const std::string& file,
                   const char* key)
{
    const auto found = object.find(key);
    if (found == object.end())
        return {};
    std::optional<std::int64_t> number;
    if (found->is_number_unsigned()) // beyond the signed ones: still a number that is newer
        number = static_cast<std::int64_t>(
            std::min<std::uint64_t>(found->get<std::uint64_t>(), std::numeric_limits<std::int64_t>::max()));
    else if (found->is_number_integer())
        number = found->get<std::int64_t>();
    return checkNumber(number, known, what, file, 0, fmt::format("\"{}\": {}", key, known));
}

bool isOfNewerVersion(const Error& error)
{
    return error.kind == ErrorKind::NewerVersion;
}

} // namespace sparserl
