// SPDX-License-Identifier: Apache-2.0
#include "matrix/formats.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sparserl {

namespace {

using Kinds = std::map<std::string, FormatSignature, std::less<>>;

Kinds makeKinds()
{
    constexpr auto i32 = ElementType::I32;
    constexpr auto u32 = ElementType::U32;
    constexpr auto u16 = ElementType::U16;
    constexpr auto f32 = ElementType::F32;
    Kinds k;
    k["csr"] = {{}, {}, {{"row_ptr", i32}, {"col", i32}, {"val", f32}}, {}};
    k["coo"] = {{}, {}, {{"row", i32}, {"col", i32}, {"val", f32}}, {}};
    k["csc"] = {{}, {}, {{"col_ptr", i32}, {"row", i32}, {"val", f32}}, {}};
    k["ell"] = {{}, {}, {{"col", i32}, {"val", f32}}, {"width"}};
    k["sell"] = {{"slice", "sigma"},
                 {},
                 {{"slice_ptr", i32}, {"col", i32}, {"val", f32}, {"row_ids", i32}},
                 {"slices"}};
    k["hyb"] = {{"width"},
                {{"quantile"}},
                {{"ell_col", i32}, {"ell_val", f32}, {"coo_row", i32}, {"coo_col", i32}, {"coo_val", f32}},
                {"width", "coo_nnz"}};
    k["dia"] = {{}, {}, {{"offset", i32}, {"val", f32}}, {"diagonals"}, false};
    k["bsr"] = {
        {"block"}, {}, {{"row_ptr", i32}, {"col", i32}, {"val", f32}}, {"block_rows", "blocks"}, false};
    k["csr16"] = {{}, {}, {{"row_ptr", i32}, {"base", i32}, {"off", u16}, {"val", f32}}, {}};
    k["sell16"] = {{"slice", "sigma"},
                   {},
                   {{"slice_ptr", i32}, {"base", i32}, {"off", u16}, {"val", f32}, {"row_ids", i32}},
                   {"slices"}};
    k["csr5"] = {
        {"sigma"},
        {},
        {{"col", i32}, {"val", f32}, {"flag", u32}, {"y_off", i32}, {"tile_row", i32}, {"row_ids", i32}},
        {"tiles", "full_rows"}};
    k["tiles"] = {{"items"}, {}, {{"row", i32}, {"nz", i32}}, {"count"}};
    k["blocks"] = {{"nnz"}, {}, {{"row", i32}}, {"count"}};
    k["windows"] = {{"rows"}, {}, {{"window_ptr", i32}, {"col", i32}}, {"count"}, false};
    k["panels"] = {{"width"}, {}, {{"row_ptr", i32}, {"col", i32}, {"val", f32}}, {"count"}};
    k["order"] = {{}, {}, {{"row_ids", i32}}, {}};
    k["dense"] = {{}, {}, {{"val", f32}}, {}, false};
    return k;
}

const Kinds& kinds()
{
    static const Kinds table = makeKinds();
    return table;
}

bool sameNames(const std::map<std::string, std::int64_t>& given, const std::vector<std::string>& wanted)
{
    return given.size() == wanted.size() &&
           std::all_of(wanted.begin(), wanted.end(), [&](const auto& name) { return given.contains(name); });
}

} // namespace

std::int64_t FormatData::bytes() const
{
    std::int64_t total = 0;
    for (const auto& array : arrays) {
        total += static_cast<std::int64_t>(array.bytes.size());
    }
    return total;
}

const FormatArray* FormatData::find(std::string_view name) const
{
    for (const auto& array : arrays) {
        if (array.name == name) {
            return &array;
        }
    }
    return nullptr;
}

const FormatSignature* formatSignature(std::string_view kind)
{
    const auto it = kinds().find(kind);
    return it == kinds().end() ? nullptr : &it->second;
}

Status checkFormatSpec(const FormatSpec& spec)
{
    const FormatSignature* signature = formatSignature(spec.kind);
    if (!signature) {
        std::vector<std::string_view> names;
        for (const auto& [name, unused] : kinds()) {
            names.push_back(name);
        }
        return fail(fmt::format("there is no storage format \"{}\"", spec.kind),
                    fmt::format("Formats are {}", fmt::join(names, ", ")));
    }
    bool known = sameNames(spec.parameters, signature->parameters);
    std::string wanted = signature->parameters.empty()
                             ? "no parameters"
                             : fmt::format("{}", fmt::join(signature->parameters, ", "));
    for (const auto& alternative : signature->alternatives) {
        known = known || sameNames(spec.parameters, alternative);
        wanted += fmt::format(" or {}", fmt::join(alternative, ", "));
    }
    if (!known) {
        return fail(fmt::format("format {} takes {}", spec.kind, wanted));
    }
    for (const auto& [name, value] : spec.parameters) {
        const std::int64_t most = name == "quantile"                       ? 100
                                  : spec.kind == "csr5" && name == "sigma" ? 32
                                                                           : 2147483647;
        if (value < 1 || value > most) {
            return fail(fmt::format("format {}: {} = {} is not in 1..{}", spec.kind, name, value, most));
        }
    }
    return {};
}

} // namespace sparserl
