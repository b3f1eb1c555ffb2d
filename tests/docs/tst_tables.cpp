// SPDX-License-Identifier: Apache-2.0
// Tables of docs/ that come from declarations in the code: with SPARSERL_UPDATE_DOCS=1 in the environment
// they are written instead of compared. And tables that people write of what the code does: arrays of the
// storage formats with an example, columns of the index.
#include "base/files.h"
#include "matrix/formats.h"
#include "project/index/schema.h"
#include "project/index/sqlite.h"
#include "project/queries/run_status.h"
#include "project/run/metrics.h"
#include "reward/expression.h"
#include "training/parameters/stage_parameters.h"

#include <QTest>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace sparserl;

namespace {

void compareOrWrite(const std::string& name, const std::string& text)
{
    const std::string file = SPARSERL_SOURCE_DIR "/docs/" + name;
    if (std::getenv("SPARSERL_UPDATE_DOCS") != nullptr)
        QVERIFY(writeFileAtomic(file, text));
    const auto written = readFile(file);
    QVERIFY2(written, "run this test with SPARSERL_UPDATE_DOCS=1 to write the file");
    QVERIFY2(*written == text, ("docs/" + name +
                                " is not what the code declares; write it with "
                                "SPARSERL_UPDATE_DOCS=1 and this test")
                                   .c_str());
}

/// The cells of the rows of a table of a document that begins with `head`; empty if there is none.
std::vector<std::vector<std::string>> rowsBelow(const std::string& document, const std::string& head)
{
    std::istringstream text(readFile(SPARSERL_SOURCE_DIR "/docs/" + document).value_or(""));
    std::vector<std::vector<std::string>> rows;
    bool inside = false;
    for (std::string line; std::getline(text, line);) {
        if (!inside) {
            inside = line.starts_with(head);
            continue;
        }
        if (line.starts_with("|--")) // below the head
            continue;
        if (!line.starts_with("| "))
            break;
        std::vector<std::string> cells;
        std::istringstream parts(line.substr(1));
        for (std::string cell; std::getline(parts, cell, '|');)
            cells.push_back(cell.substr(1, cell.size() - 2));
        rows.push_back(std::move(cells));
    }
    return rows;
}

/// All words between backticks, those of one pair one by one.
std::vector<std::string> wordsOf(const std::string& cell)
{
    static const std::regex quoted("`([^`]*)`");
    std::vector<std::string> words;
    for (std::sregex_iterator it(cell.begin(), cell.end(), quoted), end; it != end; ++it) {
        std::istringstream text((*it)[1]);
        for (std::string word; text >> word;)
            words.push_back(word);
    }
    return words;
}

/// The numbers of an array, whatever their type.
std::vector<double> numbersOf(const FormatArray& array)
{
    std::vector<double> numbers;
    const auto read = [&]<typename T>(T) {
        for (std::size_t at = 0; at < array.bytes.size(); at += sizeof(T)) {
            T value{};
            std::memcpy(&value, array.bytes.data() + at, sizeof value);
            numbers.push_back(static_cast<double>(value));
        }
    };
    switch (array.type) {
    case ElementType::I32:
        read(std::int32_t{});
        break;
    case ElementType::U32:
        read(std::uint32_t{});
        break;
    case ElementType::U16:
        read(std::uint16_t{});
        break;
    case ElementType::F32:
        read(float{});
        break;
    default:
        break;
    }
    return numbers;
}

/// [[10, 0, 20, 0], [0, 0, 0, 0], [30, 40, 50, 0], [0, 0, 0, 60]]: the example of docs/kernel-programs.md.
Csr example()
{
    Csr matrix;
    matrix.rows = matrix.cols = 4;
    matrix.rowPtr = {0, 2, 2, 5, 6};
    matrix.col = {0, 2, 0, 1, 2, 3};
    matrix.val = {10, 20, 30, 40, 50, 60};
    return matrix;
}

/// Holds one cell "in the example" against what the format makes: `slice=2, sigma=4`: `ptr` 0 6 8; `n` 3.
/// "..." at the end of an array: more follows. Returns how many arrays and counts it gave.
int compareExample(std::string kind, std::string cell)
{
    FormatSpec spec{std::move(kind), {}};
    static const std::regex before("^`([^`]*)`: ");
    if (std::smatch match; std::regex_search(cell, match, before)) {
        static const std::regex assignment("([a-z]+)=([0-9]+)");
        const std::string given = match[1];
        for (std::sregex_iterator it(given.begin(), given.end(), assignment), end; it != end; ++it)
            spec.parameters[(*it)[1]] = std::stoll((*it)[2]);
        cell = match.suffix();
    }
    const auto data = buildFormat(example(), spec, {}, 1 << 20);
    if (!data)
        throw std::runtime_error(spec.kind + ": " + data.error().sentence());
    int compared = 0;
    static const std::regex item("`([a-z0-9_]+)` ([-0-9., ]+)");
    for (std::sregex_iterator it(cell.begin(), cell.end(), item), end; it != end; ++it, ++compared) {
        const std::string name = (*it)[1];
        std::string text = (*it)[2];
        const bool more = text.find("...") != std::string::npos;
        std::replace_if(
            text.begin(), text.end(), [](char c) { return c == ',' || c == '.'; }, ' ');
        std::istringstream words(text);
        std::vector<double> wanted, found;
        for (double value = 0; words >> value;)
            wanted.push_back(value);
        if (const FormatArray* array = data->find(name))
            found = numbersOf(*array);
        else
            found = {static_cast<double>(data->counts.at(name))};
        if (more && found.size() > wanted.size())
            found.resize(wanted.size());
        if (found != wanted)
            throw std::runtime_error(fmt::format("{}.{} is {}", spec.kind, name, fmt::join(found, " ")));
    }
    return compared;
}

} // namespace

class TablesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void parameters();
    void metrics();
    void arraysOfTheFormats();
    void tablesOfTheIndex();
    void quantitiesOfRewards();
    void statusesOfRuns();
};

void TablesTest::parameters()
{
    std::string text =
        "# Parameters\n"
        "\n"
        "This page lists every parameter of every stage. It is generated from the declarations in\n"
        "`core/training/parameters/stage_parameters.cpp`; `sparserl train PRESET --parameters` prints the\n"
        "same for the stage of a preset. `run.toml` stores the parameters of a run, `--set KEY=VALUE` sets "
        "a\n"
        "parameter, and parameters whose effect is not *restart* can be changed during a run.\n";
    for (const auto kind : stageKinds())
        text +=
            "\n## Stage `" + std::string(nameOf(kind)) + "`\n\n" + stageParameters(kind).describeMarkdown();
    compareOrWrite("parameters.md", text);
}

void TablesTest::metrics()
{
    compareOrWrite(
        "metrics.md",
        "# Metrics\n"
        "\n"
        "This page lists every metric that a stage writes into its journal. It is generated from the\n"
        "declarations in `core/project/run/metrics.def`. A run has the metrics of its stage and algorithm;\n"
        "each point of a metric belongs to the split *train* or *held-out*. The *reward* of a program is "
        "the\n"
        "number that the reward preset computes from its verdict; the KL penalty is subtracted only in\n"
        "`critic/rewards` and its alias `objective/rlhf_reward`.\n" +
            describeMetricsMarkdown());
}

void TablesTest::arraysOfTheFormats()
{
    const auto rows = rowsBelow("kernel-programs.md", "| format | arrays and counts |");
    std::set<std::string> kinds;
    for (const auto& row : rows) {
        QCOMPARE(row.size(), 3U);
        std::string first;
        static const std::regex kind("`([a-z0-9]+)");
        for (std::sregex_iterator it(row[0].begin(), row[0].end(), kind), end; it != end; ++it) {
            const std::string name = (*it)[1];
            const FormatSignature* signature = formatSignature(name);
            QVERIFY2(signature, name.c_str());
            if (first.empty())
                first = name;
            kinds.insert(name);
            // Narrow kinds refer to those that they are like, and name what is theirs.
            for (const auto& array : signature->arrays)
                QVERIFY2(row[1].find("`" + array.name + "[") != std::string::npos || name.ends_with("16"),
                         (name + "." + array.name).c_str());
            for (const auto& count : signature->counts)
                QVERIFY2(row[1].find("`" + count + "`") != std::string::npos || name.ends_with("16"),
                         (name + "." + count).c_str());
        }
        try {
            QVERIFY2(compareExample(first, row[2]) > 0, row[2].c_str());
        } catch (const std::exception& wrong) {
            QFAIL(wrong.what());
        }
    }
    for (const char* name : {"csr", "coo", "csc", "ell", "sell", "sell16", "hyb", "dia", "bsr", "csr16",
                             "csr5", "tiles", "blocks", "windows", "panels", "order", "dense"})
        QVERIFY2(kinds.contains(name), name);
}

void TablesTest::tablesOfTheIndex()
{
    auto db = sql::Database::inMemory();
    migrate(db);
    std::map<std::string, std::set<std::string>> made, written;
    auto tables = db.prepare("SELECT name FROM sqlite_schema WHERE type='table'");
    while (tables.step()) {
        auto columns = db.prepare("SELECT name FROM pragma_table_info(?)");
        columns.bind(tables.text(0));
        while (columns.step())
            made[tables.text(0)].insert(columns.text(0));
    }
    for (const auto& row : rowsBelow("formats.md", "| table | one row for |")) {
        const std::string table = wordsOf(row.at(0)).at(0);
        for (const std::string& word : wordsOf(row.at(2)))
            written[table].insert(word);
    }
    QCOMPARE(written.size(), made.size());
    for (const auto& [table, columns] : made)
        QVERIFY2(written[table] == columns,
                 fmt::format("{}: the document has {}; the index has {}", table,
                             fmt::join(written[table], " "), fmt::join(columns, " "))
                     .c_str());
}

void TablesTest::quantitiesOfRewards()
{
    std::vector<std::vector<std::string>> declared;
    for (const RewardQuantity& quantity : rewardQuantities())
        declared.push_back({fmt::format("`{}`", quantity.name), std::string(quantity.words)});
    QVERIFY(rowsBelow("rl.md", "| name | value |") == declared);
}

void TablesTest::statusesOfRuns()
{
    const auto rows = rowsBelow("projects-and-runs.md", "| status |");
    QCOMPARE(rows.size(), runStatuses().size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const RunStatusWord& declared = runStatuses()[i];
        QCOMPARE(rows[i],
                 (std::vector<std::string>{std::string(declared.word), std::string(declared.meaning)}));
        QCOMPARE(nameOf(declared.status), declared.word);
    }
}

QTEST_GUILESS_MAIN(TablesTest)
#include "tst_tables.moc"
