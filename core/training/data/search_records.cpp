// SPDX-License-Identifier: Apache-2.0
#include "training/data/search_records.h"

#include "base/files.h"
#include "base/hash.h"
#include "project/run/journal.h"
#include "project/run/run_directory.h"
#include "training/parameters/stage_parameters.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

namespace sparserl {

namespace {

namespace fs = std::filesystem;

/// Speed-ups by program, of one target.
using Speeds = std::unordered_map<std::string, double>;

/// What the searches of a project found, run by run.
struct Found
{
    std::unordered_map<std::string, std::string> texts; ///< By hash.
    std::map<std::string, Speeds> speeds;               ///< By TargetId::key().

    void read(const fs::path& run);
    void add(Found&& other);
};

void Found::read(const fs::path& run)
{
    std::map<std::string, std::set<std::string>> fresh; // programs by target
    const auto visit = [&](JournalEntry&& entry) {
        if (auto* program = std::get_if<ProgramEvent>(&entry.event)) {
            // What its name does not fit is damaged.
            if (sha256Hex(program->text) == program->hash)
                texts.emplace(program->hash, std::move(program->text));
        } else if (const auto* sample = std::get_if<SampleEvent>(&entry.event)) {
            if (sample->proposal && sample->proposal->fresh)
                fresh[sample->target.key()].insert(sample->programHash);
        } else if (const auto* verdict = std::get_if<VerdictEvent>(&entry.event)) {
            const VerdictRecord& record = verdict->record;
            speeds[record.target.key()][record.programHash] =
                record.correct() && !isDoubtful(record) ? record.speedup() : 0;
        }
    };
    const auto restart = [&] {
        *this = {};
        fresh.clear();
    };
    if (!visitJournal(run, visit, restart))
        restart();
    for (auto& [target, programs] : speeds) {
        std::erase_if(programs, [&, key = target](const auto& one) {
            return one.second <= 0 || !fresh[key].contains(one.first) || !texts.contains(one.first);
        });
    }
}

void Found::add(Found&& other)
{
    texts.merge(other.texts);
    for (auto& [target, programs] : other.speeds) {
        Speeds& all = speeds[target];
        for (const auto& [hash, speedup] : programs)
            all[hash] = std::max(all[hash], speedup);
    }
}

/// Runs of searches, in the order of their names.
std::vector<fs::path> searchesOf(const fs::path& runs)
{
    std::vector<fs::path> searches;
    for (const fs::path& entry : entriesOf(runs)) {
        const auto run = RunDirectory::open(entry);
        if (run && run->config().stage == nameOf(StageKind::Search))
            searches.push_back(entry);
    }
    return searches;
}

} // namespace

std::vector<ChosenProgram> searchRecords(const fs::path& runs, std::int64_t most)
{
    Found all;
    for (const fs::path& run : searchesOf(runs)) {
        Found one;
        one.read(run);
        all.add(std::move(one));
    }
    std::map<std::string, ChosenProgram> chosen; // by hash
    for (const auto& [target, programs] : all.speeds) {
        std::vector<std::pair<double, std::string>> order;
        for (const auto& [hash, speedup] : programs)
            order.emplace_back(-speedup, hash);
        std::sort(order.begin(), order.end());
        order.resize(std::min(order.size(), static_cast<std::size_t>(std::max<std::int64_t>(most, 0))));
        for (const auto& [speedup, hash] : order) {
            ChosenProgram& program = chosen[hash];
            program.hash = hash;
            program.text = all.texts.at(hash);
            program.targets.push_back(target);
            program.found = true;
        }
    }
    std::vector<ChosenProgram> records;
    records.reserve(chosen.size());
    for (auto& [hash, program] : chosen)
        records.push_back(std::move(program));
    return records;
}

} // namespace sparserl
