// SPDX-License-Identifier: Apache-2.0
#include "evaluation/attacks.h"

#include "base/files.h"
#include "base/json.h"
#include "evaluation/inputs.h"

#include <algorithm>
#include <set>

namespace sparserl {

namespace fs = std::filesystem;

Result<std::vector<Attack>> loadAttacks(const fs::path& folder)
{
    const auto json = readJson(folder / "attacks.json");
    if (!json)
        return fail(json.error());
    std::vector<Attack> attacks;
    std::set<std::string> names;
    try {
        for (const auto& entry : *json) {
            Attack attack;
            entry.at("program").get_to(attack.program);
            entry.at("attack").get_to(attack.attack);
            entry.at("defence").get_to(attack.defence);
            entry.at("rows").get_to(attack.rows);
            entry.at("verdicts").get_to(attack.verdicts);
            entry.at("says").get_to(attack.says);
            attack.flag = jsonValue<std::string>(entry, "flag", "");
            auto text = readFile(folder / "programs" / (attack.program + ".cu"), 1u << 20);
            if (!text)
                return fail(text.error());
            attack.text = std::move(*text);
            names.insert(attack.program);
            attacks.push_back(std::move(attack));
        }
    } catch (const nlohmann::json::exception& e) {
        return failAt((folder / "attacks.json").string(), 0,
                      std::string("the list of attacks cannot be read: ") + e.what());
    }
    const auto files = listDirectory(folder / "programs");
    if (!files)
        return fail(files.error());
    for (const auto& file : *files)
        if (!names.contains(file.stem().string()))
            return failAt(file.string(), 0, "this program is not in attacks.json",
                          "say there what must become of it");
    return attacks;
}

std::optional<std::string> complaint(const Attack& attack, const VerdictRecord& record)
{
    const std::string verdict(nameOf(record.verdict));
    if (std::find(attack.verdicts.begin(), attack.verdicts.end(), verdict) == attack.verdicts.end())
        return "the verdict is " + verdict + " (" + record.message + ")";
    if (record.message.find(attack.says) == std::string::npos)
        return "the message does not speak of \"" + attack.says + "\": " + record.message;
    if (!attack.flag.empty() &&
        std::find(record.flags.begin(), record.flags.end(), attack.flag) == record.flags.end())
        return "the flag " + attack.flag + " is missing";
    // What a compiler would show of files it was made to read.
    for (const char* leak : {"root:x:0:0:root", "/etc/"})
        if (record.log.find(leak) != std::string::npos || record.message.find(leak) != std::string::npos)
            return std::string("something of the machine comes back (") + leak + ")";
    return std::nullopt;
}

Csr attackedMatrix()
{
    Rng rng(5);
    Csr m;
    m.rows = 700;
    m.cols = 900;
    for (int row = 0; row < m.rows; ++row) {
        std::set<std::int32_t> columns;
        for (std::uint64_t i = rng.below(21); i > 0; --i)
            columns.insert(static_cast<std::int32_t>(rng.below(900)));
        m.col.insert(m.col.end(), columns.begin(), columns.end());
        m.rowPtr.push_back(static_cast<std::int32_t>(m.col.size()));
    }
    m.val = randomVector(m.nnz(), rng);
    return m;
}

} // namespace sparserl
