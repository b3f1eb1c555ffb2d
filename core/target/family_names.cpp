// SPDX-License-Identifier: Apache-2.0
#include "target/family_names.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace sparserl {
namespace {

using NamedFamily = std::pair<std::string_view, std::string_view>;

// As core/corpus names them; its test compares both.
constexpr NamedFamily namedFamilies[] = {{"S1", "CSR, thread per row"},
                                         {"S2", "CSR, part of a warp per row"},
                                         {"S3", "CSR, warp per row"},
                                         {"S4", "CSR, block per row"},
                                         {"S5", "CSR-stream"},
                                         {"S6", "Merge path"},
                                         {"S7", "Non-zero split"},
                                         {"S8", "COO"},
                                         {"S9", "CSR5"},
                                         {"S10", "ELL"},
                                         {"S11", "SELL-C-sigma"},
                                         {"S12", "HYB (ELL and COO)"},
                                         {"S13", "DIA"},
                                         {"S14", "BSR"},
                                         {"S15", "Row binning"},
                                         {"S16", "Windows of rows"},
                                         {"S17", "CSC scatter"},
                                         {"S18", "Column panels, x in shared memory"},
                                         {"dense", "Dense"},
                                         {"M1", "Row-split, thread per element"},
                                         {"M2", "Coalesced row caching"},
                                         {"M3", "Coalesced row caching, merged columns"},
                                         {"M4", "Vector loads, part of a warp per row"},
                                         {"M5", "One-dimensional tiles with row swizzle"},
                                         {"M6", "Merge path"},
                                         {"M7", "Parallel reduction"},
                                         {"M8", "BSR, dense blocks"},
                                         {"M11", "Row decomposition"},
                                         {"M12", "Column panels"},
                                         {"M13", "COO, entries in parallel"},
                                         {"M14", "SELL-C-sigma, part of a warp per row"},
                                         {"M15", "ELL, part of a warp per row"},
                                         {"M16", "16-bit columns"},
                                         {"M17", "DIA"},
                                         {"M18", "Dense"},
                                         {"M19", "Block per row"},
                                         {"M20", "Buckets of rows"}};

std::string lowered(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

} // namespace

std::string_view familyName(std::string_view id)
{
    const auto* found = std::find_if(std::begin(namedFamilies), std::end(namedFamilies),
                                     [&](const NamedFamily& family) { return family.first == id; });
    return found == std::end(namedFamilies) ? std::string_view() : found->second;
}

std::string familyTitle(const std::string& id)
{
    const std::string_view name = familyName(id);
    return name.empty() ? id : id + " \u00b7 " + std::string(name);
}

std::vector<std::string> familiesNamed(std::string_view text)
{
    std::vector<std::string> ids;
    if (text.empty())
        return ids;
    const std::string wanted = lowered(text);
    for (const auto& [id, name] : namedFamilies)
        if (lowered(name).find(wanted) != std::string::npos || lowered(id).find(wanted) != std::string::npos)
            ids.emplace_back(id);
    return ids;
}

} // namespace sparserl
