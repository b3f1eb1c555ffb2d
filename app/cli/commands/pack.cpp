// SPDX-License-Identifier: Apache-2.0
#include "matrix/pack.h"
#include "app/cli/commands.h"
#include "app/cli/matrix_words.h"
#include "app/cli/number_checks.h"
#include "app/cli/usage.h"
#include "base/files.h"
#include "base/format.h"
#include "base/new_place.h"
#include "base/printable.h"
#include "matrix/matrix_list.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

namespace sparserl::cli {

namespace {

struct PackArguments
{
    std::vector<std::string> words;
    std::string out, classes;
    std::int64_t leastNnz = 0;
    int level = 19;
    bool list = false;
};

nlohmann::json describe(const PackEntry& entry)
{
    return {{"name", entry.name}, {"class", entry.structure}, {"rows", entry.rows},
            {"cols", entry.cols}, {"nnz", entry.nnz},         {"bytes", entry.bytes}};
}

void print(const Context& context, const PackEntry& entry)
{
    context.emit(describe(entry));
    if (!context.json)
        context.print(formatLine("{:<40} {:<18} {:>9} x {:<9} {:>10} non-zeros {:>9}\n", entry.name,
                                 entry.structure, entry.rows, entry.cols, entry.nnz,
                                 formatBytes(static_cast<double>(entry.bytes))));
}

/// Names and classes from a CSV with columns "name" and "cls"; quoted fields are not needed there.
Result<std::map<std::string, std::string>> readClasses(const std::string& path)
{
    std::map<std::string, std::string> out;
    if (path.empty())
        return out;
    SPARSERL_TRY(const auto text, readFile(path, 64u << 20));
    std::vector<std::vector<std::string>> rows;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::vector<std::string> fields(1);
        bool quoted = false;
        for (const char c : std::string_view(text).substr(at, end - at)) {
            if (c == '"')
                quoted = !quoted;
            else if (c == ',' && !quoted)
                fields.emplace_back();
            else if (c != '\r')
                fields.back() += c;
        }
        rows.push_back(std::move(fields));
        at = end + 1;
    }
    const auto column = [&](std::string_view name) {
        for (std::size_t i = 0; !rows.empty() && i < rows[0].size(); ++i)
            if (rows[0][i] == name)
                return i;
        return std::string::npos;
    };
    const std::size_t name = column("name"), structure = column("cls");
    if (name == std::string::npos || structure == std::string::npos)
        return fail(
            Error{"the table has no columns \"name\" and \"cls\"", path, 1, "give a CSV file with both"});
    for (std::size_t i = 1; i < rows.size(); ++i) {
        if (rows[i].size() > std::max(name, structure))
            out[rows[i][name]] = rows[i][structure];
    }
    return out;
}

int listPacks(const Context& context, const PackArguments& options)
{
    int status = Done;
    for (const auto& word : options.words) {
        const auto pack = Pack::open(word);
        if (!pack) {
            status = context.error(pack.error());
            continue;
        }
        for (const PackEntry& entry : pack->entries())
            print(context, entry);
    }
    return status;
}

int runPack(const Context& context, const PackArguments& options)
{
    if (options.list)
        return listPacks(context, options);
    if (options.out.empty()) {
        return context.wrongUsage(
            {"no pack is named", {}, 0, "say where it goes with --out FILE, or use --list"});
    }
    if (auto free = checkNewFile(options.out); !free)
        return context.error(free.error());
    const auto classes = readClasses(options.classes);
    if (!classes)
        return context.error(classes.error());
    int status = Done;
    const auto listed = listMatricesHere(options.words);
    if (!listed)
        return context.error(listed.error());
    const std::vector<ListedMatrix>& matrices = *listed;
    context.keeps("no pack was written");
    PackWriter writer(options.level);
    std::int64_t nnz = 0;
    const auto read = [&](const ListedMatrix& entry) {
        context.progress(static_cast<double>(&entry - matrices.data()) / static_cast<double>(matrices.size()),
                         entry.name);
        ReadOptions reading = readingOf(context, entry.name);
        reading.progress = {}; // by matrices, not by bytes
        return entry.load(reading);
    };
    const auto add = [&](const ListedMatrix& entry, const Csr& matrix) {
        if (matrix.nnz() < options.leastNnz)
            return true;
        const auto known = classes->find(entry.name);
        const std::string structure = known != classes->end()    ? known->second
                                      : !entry.structure.empty() ? entry.structure
                                                                 : structureClass(matrix);
        if (auto added = writer.add(matrix, entry.name, structure); !added) {
            status = context.error(added.error());
            return true;
        }
        nnz += matrix.nnz();
        print(context, writer.entries().back());
        return true;
    };
    if (!readEach(context, matrices, status, read, add))
        return status;
    if (status != Done && writer.entries().empty())
        return status; // none could be read: no pack
    if (auto written = writer.write(options.out); !written)
        return context.error(written.error());
    if (!context.json)
        context.print(fmt::format(
            "{} with {} in {}: {:.2f} bits for each non-zero\n",
            formatCounted(static_cast<std::int64_t>(writer.entries().size()), "matrix", "matrices"),
            formatCounted(nnz, "non-zero"), formatBytes(static_cast<double>(writer.bytes())),
            nnz > 0 ? 8.0 * static_cast<double>(writer.bytes()) / static_cast<double>(nnz) : 0.0));
    return status;
}

} // namespace

Body add_pack(CLI::App& app, Context& context)
{
    auto options = std::make_shared<PackArguments>();
    CLI::App* command = app.add_subcommand(
        "pack",
        "Write the patterns of many matrices into one small file (values are seeded from the pattern).");
    takesNames(command->add_option("MATRIX,--matrix", options->words, matrixHelp), "matrices")->required();
    command->add_option("--out", options->out, "The pack to write, a new file");
    command->add_option("--classes", options->classes,
                        "A CSV file with columns name and cls: classes for tables");
    command->add_option("--min-nnz", options->leastNnz, "Skip matrices with fewer non-zeros")
        ->check(nonNegativeNumber())
        ->capture_default_str();
    command->add_option("--level", options->level, "Compression level of zstd")
        ->check(CLI::Range(1, 22))
        ->capture_default_str();
    command->add_flag("--list", options->list, "List the contents of packs instead");
    return [options, &context] { return runPack(context, *options); };
}

} // namespace sparserl::cli
