// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"
#include "base/rng.h"
#include "base/time.h"
#include "corpus/corpus.h"
#include "evaluation/judge/make_judge.h"
#include "matrix/generate.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

// Programs of the corpus judged twice: by themselves, and with the worst programs there are mixed in. Prints
// every verdict (and, on the simulated device, time) that differs, and both wall times; fails where any does.
// Example: poisoned_batch --programs 1800 --poison 200 --attacks tests/adversarial/programs

using namespace sparserl;

namespace {

[[noreturn]] void giveUp(const Error& error)
{
    std::fprintf(stderr, "poisoned_batch: %s\n", error.sentence().c_str());
    std::exit(1);
}

struct Run
{
    std::vector<VerdictRecord> records;
    double seconds = 0;
};

Run judgeAll(const std::vector<JudgeRequest>& requests, const std::string& device,
             const JudgeOptions& options)
{
    auto judge = makeJudge(device, options); // A new one: nothing is remembered.
    if (!judge)
        giveUp(judge.error());
    const double start = monotonicSeconds();
    auto records = (*judge)->judge(requests, {});
    if (!records)
        giveUp(records.error());
    return {std::move(*records), monotonicSeconds() - start};
}

} // namespace

int main(int argc, char** argv)
{
    std::string spec = "random(rows=2000,cols=2000,mean=8)", device = "sim", runner;
    std::filesystem::path folder = "tests/adversarial/programs";
    std::vector<std::string> only;
    int good = 150, poison = 15;
    std::uint64_t seed = 1;
    bool verbose = false;
    CLI::App app("A batch with hostile programs in it");
    app.add_option("--matrix", spec, "Generator text")->capture_default_str();
    app.add_option("--programs", good, "Of the corpus")->capture_default_str();
    app.add_option("--poison", poison, "Hostile ones, over and over where there are fewer")
        ->capture_default_str();
    app.add_option("--attacks", folder, "Folder of hostile programs, NAME.cu")->capture_default_str();
    app.add_option("--only", only, "Names of those to take; all where none is given")->delimiter(',');
    app.add_option("--device", device)->check(CLI::IsMember({"sim", "cuda", "auto"}))->capture_default_str();
    app.add_option("--runner", runner, "sparserl-runner");
    app.add_option("--seed", seed, "Of the programs and their order")->capture_default_str();
    app.add_flag("--verbose", verbose, "A line for each hostile program, and what the runners do");
    CLI11_PARSE(app, argc, argv);

    auto generated = generate(spec);
    if (!generated)
        giveUp(generated.error());
    const auto matrix = std::make_shared<const Csr>(std::move(*generated));
    const std::string identity = digest(*matrix);
    Rng rng(seed);
    const auto request = [&](std::string text, std::string name) {
        JudgeRequest one;
        one.program = std::move(text);
        one.target.matrix = matrix;
        one.target.id.contents = identity;
        one.target.id.name = std::move(name);
        one.seed = rng.next();
        return one;
    };
    std::vector<JudgeRequest> honest;
    std::set<std::string> texts;
    while (static_cast<int>(honest.size()) < good) {
        auto program = sampleProgram(Task::SpMV, {}, rng);
        if (!program)
            giveUp(program.error());
        if (texts.insert(program->text).second)
            honest.push_back(request(program->text, program->family));
    }
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
        if (entry.path().extension() == ".cu" &&
            (only.empty() || std::find(only.begin(), only.end(), entry.path().stem()) != only.end()))
            files.push_back(entry.path());
    if (files.empty())
        giveUp(Error{"there are no programs in " + folder.string(), {}, 0, "name a folder with --attacks"});
    std::sort(files.begin(), files.end());
    rng.shuffle(files);
    std::vector<JudgeRequest> hostile;
    for (int i = 0; i < poison; ++i) {
        const auto& file = files[static_cast<std::size_t>(i) % files.size()];
        auto text = readFile(file);
        if (!text)
            giveUp(text.error());
        // The second time round as another text, which no memory knows.
        if (i >= static_cast<int>(files.size()))
            *text += "\n// " + std::to_string(i) + "\n";
        hostile.push_back(request(std::move(*text), file.stem().string()));
    }
    // Where each honest program stands in the mixture.
    std::vector<std::size_t> order(honest.size() + hostile.size()), place(honest.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    rng.shuffle(order);
    std::vector<JudgeRequest> mixed;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const bool isHonest = order[i] < honest.size();
        mixed.push_back(isHonest ? honest[order[i]] : hostile[order[i] - honest.size()]);
        if (isHonest)
            place[order[i]] = i;
    }

    JudgeOptions options;
    options.runnerPath = runner;
    if (verbose)
        options.log = [](std::string_view sentence) {
            std::fprintf(stderr, "%.*s\n", static_cast<int>(sentence.size()), sentence.data());
        };
    const Run alone = judgeAll(honest, device, options), together = judgeAll(mixed, device, options);

    int other = 0;
    for (std::size_t i = 0; i < honest.size(); ++i) {
        const VerdictRecord &a = alone.records[i], &b = together.records[place[i]];
        const double before = a.warm ? a.warm->median : 0, after = b.warm ? b.warm->median : 0;
        if (a.verdict == b.verdict && (!a.simulated || (before == after && a.flags == b.flags)))
            continue;
        ++other;
        std::printf("DIFFERS  %s: %s %.3f us alone, %s %.3f us with the others  %s\n", a.target.name.c_str(),
                    std::string(nameOf(a.verdict)).c_str(), before, std::string(nameOf(b.verdict)).c_str(),
                    after, b.message.c_str());
    }
    std::map<std::string, int> verdicts;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (order[i] < honest.size())
            continue;
        const VerdictRecord& record = together.records[i];
        ++verdicts[std::string(nameOf(record.verdict))];
        if (verbose)
            std::printf("  %-40s %-14s %6.1f s  %s\n", record.target.name.c_str(),
                        std::string(nameOf(record.verdict)).c_str(), record.judgeSeconds,
                        record.message.substr(0, 120).c_str());
    }
    std::printf("%s: %zu programs in %.1f s; with %zu hostile ones in %.1f s; %d verdicts differ\n",
                alone.records.empty() ? "" : alone.records.front().device.c_str(), honest.size(),
                alone.seconds, hostile.size(), together.seconds, other);
    std::printf("hostile ones:");
    for (const auto& [verdict, number] : verdicts)
        std::printf(" %s %d", verdict.c_str(), number);
    std::printf("\n");
    return other > 0 ? 1 : 0;
}
