// SPDX-License-Identifier: Apache-2.0
#include "training/data/best_programs.h"

#include "base/beneath.h"
#include "base/fields.h"
#include "base/json.h"

#include <nlohmann/json.hpp>

namespace sparserl {

template <>
struct Fields<ProgramToRefine>
{
    static void of(auto& e, auto& field)
    {
        field("text", e.text);
        field("us", e.microseconds);
        field("speedup", e.speedup);
        field("share_of_limit", e.profile.shareOfLimit);
        field("registers", e.profile.registers);
        field("shared_bytes", e.profile.sharedBytes);
        field("occupancy", e.profile.occupancy);
        field("occupancy_limiter", e.profile.occupancyLimiter);
    }
};

void BestPrograms::add(const std::string& text, const VerdictRecord& record)
{
    if (!record.correct() || !record.warm || isDoubtful(record))
        return;
    const auto [kept, isNew] = m_best.try_emplace(record.target.key());
    if (isNew || record.warm->median < kept->second.microseconds)
        kept->second = programToRefine(text, record);
}

const ProgramToRefine* BestPrograms::find(const std::string& targetKey) const
{
    const auto found = m_best.find(targetKey);
    return found == m_best.end() ? nullptr : &found->second;
}

Status BestPrograms::save(const std::filesystem::path& file) const
{
    nlohmann::json json = nlohmann::json::object();
    for (const auto& [key, program] : m_best)
        json[key] = writeFields(program);
    return writeJson(file, json);
}

Result<BestPrograms> BestPrograms::load(const std::filesystem::path& file)
{
    BestPrograms table;
    if (!glance(file).exists)
        return table;
    SPARSERL_TRY(const auto json, readJson(file));
    if (!json.is_object())
        return failAt(file.string(), 0, "this is not a table of programs", "Start from another checkpoint");
    for (const auto& [key, entry] : json.items())
        readFields(entry, table.m_best[key], readLeniently);
    return table;
}

} // namespace sparserl
