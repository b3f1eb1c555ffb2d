// SPDX-License-Identifier: Apache-2.0
#include "target/target_id.h"

#include <charconv>

namespace sparserl {

std::string TargetId::key() const
{
    std::string key = contents;
    if (variant.kind != TargetKind::Sparse)
        key.append("/").append(nameOf(variant.kind));
    if (variant.columns > 1)
        key += "/" + std::to_string(variant.columns);
    if (variant.type != ElementType::F32)
        key.append("/").append(nameOf(variant.type));
    if (variant.type != ElementType::F32 && !values.empty())
        key.append("-").append(values);
    return key;
}

std::optional<TargetId> TargetId::fromKey(std::string_view key)
{
    TargetId id;
    const auto end = key.find('/');
    id.contents = key.substr(0, end);
    if (end == std::string_view::npos)
        return id;
    std::string_view rest = key.substr(end + 1);
    const auto skip = [&rest](std::size_t count) {
        rest.remove_prefix(count);
        if (rest.starts_with('/'))
            rest.remove_prefix(1);
    };
    const std::string_view first = rest.substr(0, rest.find('/'));
    if (const auto kind = enumFromName(first, TargetKind())) {
        id.variant.kind = *kind;
        skip(first.size());
    }
    if (const auto [at, error] = std::from_chars(rest.data(), rest.data() + rest.size(), id.variant.columns);
        error == std::errc())
        skip(static_cast<std::size_t>(at - rest.data()));
    const auto dash = rest.find('-');
    if (const auto type = elementTypeFromName(rest.substr(0, dash)))
        id.variant.type = *type;
    if (dash != std::string_view::npos)
        id.values = rest.substr(dash + 1);
    return id.key() == key ? std::optional(id) : std::nullopt; // so there is one text for each target
}

bool TargetId::sameContents(const TargetId& other) const
{
    return variant.kind == other.variant.kind && contents == other.contents;
}

bool TargetId::sameVariant(const TargetId& other) const
{
    return variant == other.variant;
}

} // namespace sparserl
