// SPDX-License-Identifier: Apache-2.0
// How many programs with one mistake the incremental verifier stops before their end, by kind of mistake, and
// whether it stops any that NVRTC accepts. What NVRTC says is kept in a file, because asking takes minutes.
#include "../kernel/ask_compiler.h"
#include "../kernel/mutants.h"
#include "base/files.h"
#include "corpus/corpus.h"
#include "kernel/plan.h"
#include "kernel/verifier.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

using namespace sparserl;

namespace {

struct Mutant
{
    std::string kind, text;
    bool rejected = false;
    int line = 0; ///< Of NVRTC's first error.
    std::string message;
};

/// The programs that mistakes are made in: of the corpus, or the files of a folder.
std::vector<std::string> sources(const std::string& folder, std::size_t count, std::uint64_t seed)
{
    std::vector<std::string> texts;
    if (!folder.empty()) {
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            if (auto text = readFile(entry.path()))
                texts.push_back(std::move(*text));
        }
        std::sort(texts.begin(), texts.end());
        return texts;
    }
    Rng rng(seed);
    while (texts.size() < count) {
        SampleOptions options;
        options.variety = static_cast<double>(texts.size() % 5) / 4;
        if (auto program = sampleProgram(texts.size() % 2 ? Task::SpMM : Task::SpMV, options, rng))
            texts.push_back(std::move(program->text));
    }
    return texts;
}

Result<std::vector<Mutant>> mutantsOf(const std::string& file, const std::string& folder, std::size_t each,
                                      std::uint64_t seed)
{
    std::vector<Mutant> mutants;
    if (std::filesystem::exists(file)) {
        SPARSERL_TRY(const auto text, readFile(file));
        for (const auto& row : nlohmann::json::parse(text))
            mutants.push_back({row[0], row[1], row[2], row[3], row[4]});
        return mutants;
    }
    const auto texts = sources(folder, 400, seed);
    Rng rng(seed + 1);
    for (const auto kind : mutantKinds()) {
        for (std::size_t made = 0, tries = 0; made < each && tries < 20 * each; ++tries) {
            auto text = mutantOf(texts[rng.below(texts.size())], kind, rng);
            if (!text || !parseProgram(*text))
                continue;
            mutants.push_back({std::string(kind), std::move(*text), false, 0, {}});
            ++made;
        }
    }
    std::vector<std::string> programs;
    for (const Mutant& m : mutants)
        programs.push_back(m.text);
    SPARSERL_TRY(const auto answers, askCompiler(programs));
    for (std::size_t i = 0; i < mutants.size(); ++i) {
        mutants[i].rejected = answers[i].rejected;
        mutants[i].line = answers[i].line;
        mutants[i].message = answers[i].message;
    }
    auto rows = nlohmann::json::array();
    for (const Mutant& m : mutants)
        rows.push_back({m.kind, m.text, m.rejected, m.line, m.message});
    SPARSERL_CHECK(writeFileAtomic(file, rows.dump(0, ' ', false, nlohmann::json::error_handler_t::replace)));
    return mutants;
}

/// A stop before the end, in pieces of about a token.
std::optional<Stop> stopOf(const std::string& text)
{
    IncrementalVerifier verifier;
    for (std::size_t at = 0; at < text.size(); at += 3) {
        if (auto stop = verifier.feed(std::string_view(text).substr(at, 3)))
            return stop;
    }
    return std::nullopt;
}

int report(const std::vector<Mutant>& mutants, const std::string& show, std::size_t shown)
{
    struct Row
    {
        int made = 0, rejected = 0, early = 0, stopped = 0, wrong = 0;
    };
    std::map<std::string, Row> rows;
    for (const Mutant& mutant : mutants) {
        const auto stop = stopOf(mutant.text);
        const bool early =
            mutant.rejected && mutant.line > 0 && mutant.line < lineOfLastStatement(mutant.text);
        for (const auto& name : {mutant.kind, std::string("~ all")}) {
            Row& row = rows[name];
            ++row.made;
            row.rejected += mutant.rejected;
            row.early += early;
            row.stopped += early && stop;
            row.wrong += !mutant.rejected && stop;
        }
        const bool wanted = show.empty() || show == mutant.kind;
        if (!mutant.rejected && stop && shown)
            std::cerr << fmt::format("WRONG {}: line {}: {}\n{}\n", mutant.kind, stop->line, stop->reason,
                                     mutant.text);
        else if (early && !stop && wanted && shown && shown--) {
            std::size_t at = 0;
            for (int line = 1; line < mutant.line; ++line)
                at = mutant.text.find('\n', at) + 1;
            std::cerr << fmt::format("{}: line {}: {}\n    {}\n", mutant.kind, mutant.line, mutant.message,
                                     mutant.text.substr(at, mutant.text.find('\n', at) - at));
        }
    }
    fmt::print("| mistake | programs | NVRTC rejects | before the last statement | stopped before the end | "
               "| accepted, but stopped |\n");
    fmt::print("|---|--:|--:|--:|--:|--:|--:|\n");
    for (const auto& [name, row] : rows)
        fmt::print("| {} | {} | {} | {} | {} | {:.0f} % | {} |\n", name, row.made, row.rejected, row.early,
                   row.stopped, row.early ? 100.0 * row.stopped / row.early : 0.0, row.wrong);
    return rows["~ all"].wrong ? 1 : 0;
}

/// What reading along costs. A policy's tokens are 8 bytes long on average.
int speed()
{
    constexpr std::size_t piece = 8;
    const auto texts = sources({}, 1000, 3);
    std::vector<double> seconds;
    std::size_t pieces = 0, bytes = 0;
    for (int round = 0; round < 5; ++round) {
        const std::clock_t start = std::clock();
        for (const std::string& text : texts) {
            IncrementalVerifier verifier;
            for (std::size_t at = 0; at < text.size(); at += piece) {
                if (verifier.feed(std::string_view(text).substr(at, piece)))
                    return 1;
                pieces += round == 0;
            }
            bytes += round == 0 ? text.size() : 0;
        }
        seconds.push_back(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    std::sort(seconds.begin(), seconds.end());
    fmt::print("{} programs of {} bytes: {:.2f} us of one core a token of {} bytes, {:.1f} MB/s\n",
               texts.size(), bytes / texts.size(), seconds[2] * 1e6 / static_cast<double>(pieces), piece,
               static_cast<double>(bytes) / seconds[2] / 1e6);
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    CLI::App app("What the incremental verifier stops of programs with one mistake");
    std::string file, folder, show;
    std::size_t each = 150, shown = 0;
    std::uint64_t seed = 1;
    bool onlySpeed = false;
    app.add_option("FILE", file, "Mutants and what NVRTC says of them; made if it is not there");
    app.add_flag("--speed", onlySpeed, "Only what reading costs");
    app.add_option("--programs", folder, "Folder with the programs to make mistakes in; else the corpus");
    app.add_option("--each", each, "Programs of each kind");
    app.add_option("--seed", seed);
    app.add_option("--show", shown, "Print so many that are not stopped");
    app.add_option("--kind", show, "Only of this kind");
    CLI11_PARSE(app, argc, argv);
    if (onlySpeed)
        return speed();
    const auto mutants = mutantsOf(file, folder, each, seed);
    if (!mutants) {
        std::cerr << mutants.error().sentence() << "\n";
        return 1;
    }
    return report(*mutants, show, shown);
}
