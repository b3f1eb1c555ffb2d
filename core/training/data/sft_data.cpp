// SPDX-License-Identifier: Apache-2.0
#include "training/data/sft_data.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/rng.h"
#include "machine/device_model.h"
#include "matrix/features.h"
#include "training/data/sft_fields.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>

namespace sparserl {

namespace {

nlohmann::json toJson(const SftExample& example)
{
    auto json = writeFields(example);
    json["verdict"] = sparserl::toJson(example.record);
    return json;
}

Result<SftExample> exampleFromJson(const nlohmann::json& json)
{
    SftExample example;
    readFields(json, example, readLeniently);
    if (!json.contains("verdict"))
        return fail("an SFT example without a verdict");
    SPARSERL_TRY(auto record, verdictRecordFromJson(json["verdict"]));
    example.record = std::move(record);
    example.target.variant = example.record.target.variant;
    return example;
}

/// Chosen programs of one matrix that are not among those that were drawn for it.
std::vector<SftExample> chosenExamples(const StageTarget& matrix, const std::vector<ChosenProgram>& chosen,
                                       const std::vector<SftExample>& drawn)
{
    std::vector<SftExample> examples;
    const std::string key = matrix.target.id.key();
    for (const ChosenProgram& program : chosen) {
        const bool meant =
            std::find(program.targets.begin(), program.targets.end(), key) != program.targets.end();
        const auto isIt = [&](const SftExample& example) { return example.text == program.text; };
        const bool known = std::any_of(drawn.begin(), drawn.end(), isIt) ||
                           std::any_of(examples.begin(), examples.end(), isIt);
        if (matrix.heldOut || !meant || known || program.text.empty())
            continue;
        SftExample example;
        example.target = matrix.target.id;
        example.text = program.text;
        example.family = identifyFamily(program.text).value_or(std::string());
        example.found = program.found;
        example.chosen = !program.found;
        examples.push_back(std::move(example));
    }
    return examples;
}

/// Complete lines of an interrupted build, by matrix and program. A torn line ends the reading.
std::map<std::string, SftExample> parseExamples(const std::string& text)
{
    std::map<std::string, SftExample> known;
    std::size_t begin = 0;
    for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
        auto json = parseJson(std::string_view(text).substr(begin, end - begin));
        if (!json)
            continue;
        if (auto example = exampleFromJson(*json)) {
            auto key = example->target.key() + sha256Hex(example->text);
            known.emplace(std::move(key), std::move(*example));
        }
    }
    return known;
}

/// Corpus programs of one matrix as examples that wait for their verdicts.
Result<std::vector<SftExample>> drawExamples(const StageTarget& matrix, SftDataOptions options)
{
    options.variant = matrix.target.id.variant;
    const auto& known = families(matrix.target.id.task());
    std::erase_if(options.families, [&](const std::string& id) {
        return std::none_of(known.begin(), known.end(), [&](const Family& one) { return one.id == id; });
    });
    const auto wanted = matrix.heldOut ? options.heldOutPrograms : options.programsPerMatrix;
    const Rng base = Rng(options.seed).derive("sft-data").derive(matrix.target.id.contents);
    SPARSERL_TRY(auto programs, drawPrograms(*matrix.target.matrix, wanted, options, base));
    std::vector<SftExample> drawn;
    for (auto& program : programs) {
        SftExample example;
        example.target = matrix.target.id;
        example.heldOut = matrix.heldOut;
        example.text = std::move(program.text);
        example.family = std::move(program.family);
        example.parameters = std::move(program.parameters);
        drawn.push_back(std::move(example));
    }
    return drawn;
}

bool isShortEnough(const DerivedProgram& program, const SftDataOptions& options)
{
    return options.maxBytes == 0 || static_cast<std::int64_t>(program.text.size()) <= options.maxBytes;
}

/// Recommended candidates of the chosen families, best first.
std::vector<Candidate> recommended(const Csr& matrix, const SftDataOptions& options)
{
    // Part of what a run draws from its seed: not the judge's model, which would change runs that go on.
    const std::int64_t columns = options.variant.columns;
    auto candidates = recommend(options.variant.task(), computeFeatures(matrix, columns),
                                defaultDeviceModel(), columns, options.variant.type);
    if (!options.families.empty()) {
        std::erase_if(candidates, [&](const Candidate& candidate) {
            return std::find(options.families.begin(), options.families.end(), candidate.family) ==
                   options.families.end();
        });
    }
    return candidates;
}

/// The best of each family, then the second best of each, ...; without what is too long in its plainest form.
std::vector<Candidate> familiesInTurn(const std::vector<Candidate>& candidates, const SftDataOptions& options)
{
    std::vector<std::vector<Candidate>> byFamily;
    for (const auto& candidate : candidates) {
        const auto program =
            derive(candidate.family, candidate.parameters, Style{}, true, options.variant.type);
        if (!program || !isShortEnough(*program, options))
            continue;
        const auto found = std::find_if(byFamily.begin(), byFamily.end(), [&](const auto& family) {
            return family.front().family == candidate.family;
        });
        if (found == byFamily.end())
            byFamily.push_back({candidate});
        else
            found->push_back(candidate);
    }
    std::vector<Candidate> result;
    for (std::size_t place = 0;; ++place) {
        const auto before = result.size();
        for (const auto& family : byFamily) {
            if (place < family.size())
                result.push_back(family[place]);
        }
        if (result.size() == before)
            return result;
    }
}

/// A style that keeps the program short enough; the plainest where none of a few does.
Result<DerivedProgram> deriveInStyle(const Candidate& candidate, const SftDataOptions& options, Rng& rng)
{
    for (int attempt = 0; attempt < 4; ++attempt) {
        auto program = derive(candidate.family, candidate.parameters, Style::sample(options.variety, rng),
                              true, options.variant.type);
        if (!program || isShortEnough(*program, options))
            return program;
    }
    return derive(candidate.family, candidate.parameters, Style{}, true, options.variant.type);
}

Result<DerivedProgram> drawAny(const SftDataOptions& options, Rng& rng)
{
    SampleOptions sample;
    sample.families = options.families;
    sample.variety = options.variety;
    sample.type = options.variant.type;
    if (options.maxBytes > 0)
        sample.maxBytes = static_cast<std::size_t>(options.maxBytes);
    return sampleProgram(options.variant.task(), sample, rng);
}

/// By score, as earlier versions drew: what is too long gives way to any program.
Result<DerivedProgram> drawByScore(const std::vector<Candidate>& candidates, const SftDataOptions& options,
                                   Rng& rng)
{
    std::vector<double> weights;
    weights.reserve(candidates.size());
    for (const auto& candidate : candidates)
        weights.push_back(std::max(candidate.score, 1e-3));
    const auto& chosen = candidates[rng.pick(weights)];
    auto program = derive(chosen.family, chosen.parameters, Style::sample(options.variety, rng), true,
                          options.variant.type);
    if (!program || isShortEnough(*program, options))
        return program;
    return drawAny(options, rng);
}

} // namespace

Result<std::vector<DerivedProgram>> drawPrograms(const Csr& matrix, std::int64_t count,
                                                 const SftDataOptions& options, const Rng& rng)
{
    auto candidates = recommended(matrix, options);
    if (options.inTurn)
        candidates = familiesInTurn(candidates, options);
    std::size_t turn = 0;
    std::vector<DerivedProgram> drawn;
    std::set<std::string> texts;
    // A narrow choice of families may not have as many different programs as asked for.
    for (std::int64_t i = 0; static_cast<std::int64_t>(drawn.size()) < count && i < 4 * count + 8; ++i) {
        Rng own = rng.derive(static_cast<std::uint64_t>(i));
        const bool suits = own.chance(options.recommended) && !candidates.empty();
        auto program = !suits           ? drawAny(options, own)
                       : options.inTurn ? deriveInStyle(candidates[turn++ % candidates.size()], options, own)
                                        : drawByScore(candidates, options, own);
        if (!program)
            return fail(program.error());
        if (texts.insert(program->text).second)
            drawn.push_back(std::move(*program));
    }
    return drawn;
}

Result<std::vector<ChosenProgram>> chosenForRun(const std::filesystem::path& file,
                                                const std::vector<ChosenProgram>& now,
                                                ProcessGroup& processes)
{
    std::string text;
    std::optional<Error> problem;
    if (processes.leads()) {
        if (!glance(file).exists) {
            for (const ChosenProgram& program : now)
                text += dumpJson({{"hash", program.hash},
                                  {"text", program.text},
                                  {"targets", program.targets},
                                  {"found", program.found}}) +
                        "\n";
            if (auto written = writeFileAtomic(file, text); !written)
                problem = written.error();
        } else if (auto read = readFile(file)) {
            text = std::move(*read);
        } else {
            problem = read.error();
        }
    }
    text = processes.broadcast(text);
    if (problem)
        return fail(*problem);
    std::vector<ChosenProgram> chosen;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        SPARSERL_TRY(const auto json, parseJson(line, file.string()));
        chosen.push_back({jsonValue<std::string>(json, "hash", {}), jsonValue<std::string>(json, "text", {}),
                          jsonValue<std::vector<std::string>>(json, "targets", {}),
                          jsonValue(json, "found", false)});
    }
    return chosen;
}

Result<std::vector<SftExample>> buildSftData(const std::filesystem::path& file,
                                             const std::vector<StageTarget>& matrices,
                                             const SftDataOptions& options, CachedJudge& judge,
                                             const CancelToken& cancel,
                                             const std::function<void(double)>& progress)
{
    // All processes must lack the same ones.
    auto& processes = judge.processes();
    auto known = parseExamples(
        processes.broadcast(processes.leads() ? readFile(file).value_or(std::string()) : std::string()));
    std::vector<SftExample> all;
    std::vector<std::size_t> missing;
    std::map<std::string, const StageTarget*> byKey;
    for (const auto& matrix : matrices) {
        byKey[matrix.target.id.key()] = &matrix;
        SPARSERL_TRY(auto drawn, drawExamples(matrix, options));
        auto chosen = chosenExamples(matrix, options.chosen, drawn);
        std::move(chosen.begin(), chosen.end(), std::back_inserter(drawn));
        for (auto& example : drawn) {
            const auto found = known.find(example.target.key() + sha256Hex(example.text));
            if (found != known.end())
                example.record = found->second.record;
            else
                missing.push_back(all.size());
            all.push_back(std::move(example));
        }
    }

    // Many matrices at a time: a judge waits for the slowest program of a call.
    constexpr std::size_t chunk = 256;
    for (std::size_t begin = 0; begin < missing.size(); begin += chunk) {
        const auto end = std::min(begin + chunk, missing.size());
        std::vector<CachedJudge::Request> requests;
        for (std::size_t i = begin; i < end; ++i) {
            const SftExample& example = all[missing[i]];
            requests.push_back({.program = example.text,
                                .target = byKey.at(example.target.key()),
                                .stopReason = {},
                                .fromCorpus = !example.chosen && !example.found});
        }
        const auto part = [&](std::size_t done) {
            if (progress)
                progress(static_cast<double>(begin + done) / static_cast<double>(missing.size()));
        };
        SPARSERL_TRY(auto records, judge.judge(requests, cancel, part));
        std::string lines;
        for (std::size_t i = begin; i < end; ++i) {
            auto& example = all[missing[i]];
            example.record = std::move(records[i - begin]);
            lines += dumpJson(toJson(example)) + "\n";
        }
        if (processes.leads()) {
            SPARSERL_CHECK(appendFile(file, lines));
        }
    }
    return all;
}

Result<SpeedWeighting> speedWeightingFromName(std::string_view name)
{
    if (name == "z-score")
        return SpeedWeighting::ZScore;
    if (name == "power")
        return SpeedWeighting::Power;
    return fail("there is no weighting \"" + std::string(name) + "\"", "Use z-score or power");
}

std::vector<double> sftWeights(const std::vector<SftExample>& examples, SpeedWeighting weighting,
                               double weight)
{
    struct Moments
    {
        double sum = 0, squares = 0, n = 0, largest = -1e300, weight = 0;
    };
    const auto measure = [](const SftExample& example) {
        const double speedup = example.record.speedup();
        return speedup > 0 ? std::log(speedup) : 0.0;
    };
    std::map<std::string, Moments> byMatrix;
    for (const auto& example : examples) {
        if (!example.record.correct())
            continue;
        auto& m = byMatrix[example.target.key()];
        m.sum += measure(example);
        m.squares += measure(example) * measure(example);
        m.n += 1;
        m.largest = std::max(m.largest, measure(example));
    }
    std::vector<double> weights(examples.size(), 0.0);
    for (std::size_t i = 0; i < examples.size(); ++i) {
        if (!examples[i].record.correct())
            continue;
        auto& m = byMatrix[examples[i].target.key()];
        const double mean = m.sum / m.n;
        const double deviation = std::sqrt(std::max(0.0, m.squares / m.n - mean * mean));
        const double z = deviation > 1e-9 ? (measure(examples[i]) - mean) / deviation : 0;
        weights[i] = weighting == SpeedWeighting::Power
                         ? std::exp(weight * (measure(examples[i]) - m.largest))
                         : std::exp(weight * std::clamp(z, -3.0, 3.0));
        m.weight += weights[i];
    }
    for (std::size_t i = 0; i < examples.size(); ++i) {
        if (weights[i] > 0)
            weights[i] /= byMatrix[examples[i].target.key()].weight;
    }
    return weights;
}

std::vector<std::vector<std::size_t>> slowerExamples(const std::vector<SftExample>& examples)
{
    constexpr double clearly = 0.97;
    std::map<std::string, std::vector<std::size_t>> correct; // by target
    for (std::size_t i = 0; i < examples.size(); ++i) {
        if (examples[i].record.correct() && examples[i].record.speedup() > 0)
            correct[examples[i].target.key()].push_back(i);
    }
    std::vector<std::vector<std::size_t>> slower(examples.size());
    for (const auto& [target, all] : correct) {
        for (const std::size_t one : all) {
            const double limit = clearly * examples[one].record.speedup();
            for (const std::size_t other : all) {
                if (examples[other].record.speedup() <= limit)
                    slower[one].push_back(other);
            }
        }
    }
    return slower;
}

namespace {

/// 64 bits tell the texts of one run apart.
std::string shortHash(const std::string& programHash)
{
    return programHash.substr(0, 16);
}

} // namespace

void RewardTimes::add(const VerdictRecord& record, const std::string& family, bool shown)
{
    if (!record.correct() || !record.warm)
        return;
    auto& times = m_times[record.target.key()];
    times.families.push_back(family);
    if (shown) {
        times.shown.push_back(shortHash(record.programHash));
        m_shown.insert(times.shown.back());
    }
    times.baseline = record.baselineMicroseconds;
    times.microseconds.push_back(record.warm->median);
    times.sharedBytes.push_back(record.staticShared + record.dynamicShared);
}

MatrixRewardStats RewardTimes::statistics(const RewardModel& model, const std::string& taskKey) const
{
    const auto found = m_times.find(taskKey);
    if (found == m_times.end())
        return {};
    std::vector<VerdictRecord> records;
    for (std::size_t i = 0; i < found->second.microseconds.size(); ++i) {
        VerdictRecord record;
        record.verdict = Verdict::Correct;
        record.baselineMicroseconds = found->second.baseline;
        const double t = found->second.microseconds[i];
        record.warm = Timing{t, t, t, 1};
        record.staticShared = found->second.sharedBytes[i];
        records.push_back(std::move(record));
    }
    return model.statistics(records);
}

double RewardTimes::bestSpeedup(const std::string& taskKey) const
{
    const auto found = m_times.find(taskKey);
    if (found == m_times.end() || found->second.microseconds.empty())
        return 0;
    const auto& times = found->second.microseconds;
    const double best = *std::min_element(times.begin(), times.end());
    return best > 0 ? found->second.baseline / best : 0;
}

std::string RewardTimes::bestFamily(const std::string& taskKey) const
{
    const auto found = m_times.find(taskKey);
    if (found == m_times.end() || found->second.microseconds.empty())
        return {};
    const auto& times = found->second.microseconds;
    const auto best = std::min_element(times.begin(), times.end());
    return found->second.families[static_cast<std::size_t>(best - times.begin())];
}

bool RewardTimes::wasShown(const std::string& programHash) const
{
    return m_shown.contains(shortHash(programHash));
}

Status RewardTimes::save(const std::filesystem::path& file) const
{
    nlohmann::json json = nlohmann::json::object();
    for (const auto& [key, times] : m_times)
        json[key] = {{"baseline", times.baseline},
                     {"us", times.microseconds},
                     {"shared", times.sharedBytes},
                     {"families", times.families},
                     {"shown", times.shown}};
    return writeJson(file, json);
}

Result<RewardTimes> RewardTimes::load(const std::filesystem::path& file)
{
    RewardTimes table;
    if (!glance(file).exists)
        return table;
    SPARSERL_TRY(auto json, readJson(file));
    if (!json.is_object())
        return failAt(file.string(), 0, "this is not a table of reward times",
                      "Start from another checkpoint");
    for (const auto& [key, entry] : json.items()) {
        Times times;
        times.baseline = jsonValue(entry, "baseline", 0.0);
        times.microseconds = jsonValue<std::vector<double>>(entry, "us", {});
        times.sharedBytes = jsonValue<std::vector<std::int64_t>>(entry, "shared", {});
        times.sharedBytes.resize(times.microseconds.size());
        times.families = jsonValue<std::vector<std::string>>(entry, "families", {});
        times.families.resize(times.microseconds.size());
        times.shown = jsonValue<std::vector<std::string>>(entry, "shown", {});
        table.m_shown.insert(times.shown.begin(), times.shown.end());
        table.m_times.emplace(key, std::move(times));
    }
    return table;
}

} // namespace sparserl
