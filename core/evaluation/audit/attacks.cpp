// SPDX-License-Identifier: Apache-2.0
#include "evaluation/audit/attacks.h"

#include "base/files.h"
#include "base/json.h"
#include "evaluation/cases/inputs.h"
#include "matrix/generators.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace sparserl {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::string_view, 19> matrixNames{
    "small",       "entries",  "rows",     "dense-row",   "own-values", "ones", "tiny",
    "two-sizes",   "integers", "factored", "far-factors", "stencil",    "grid", "diagonal",
    "tridiagonal", "band",     "nodes",    "eights",      "threes"};

template <typename List>
bool contains(const List& list, std::string_view text)
{
    return std::find(list.begin(), list.end(), text) != list.end();
}

/// Appends a row of `length` distinct columns.
void addRow(Csr& m, std::size_t length, Rng& rng)
{
    std::set<std::int32_t> columns;
    while (columns.size() < length)
        columns.insert(static_cast<std::int32_t>(rng.below(static_cast<std::uint64_t>(m.cols))));
    m.col.insert(m.col.end(), columns.begin(), columns.end());
    m.rowPtr.push_back(static_cast<std::int32_t>(m.col.size()));
    ++m.rows;
}

/// 700 x 900, up to 20 entries a row, with empty rows.
Csr smallMatrix(Rng& rng)
{
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
    return m;
}

/// 1,100 x 1,300 with 8,200 entries: just above what one launch shape or one battery shape covers.
Csr entriesMatrix(Rng& rng)
{
    Csr m;
    m.cols = 1300;
    for (int row = 0; row < 1100; ++row)
        addRow(m, row < 500 ? 8 : 7, rng);
    return m;
}

/// 4,000 x 9,000, about 10 entries a row; rows of 6,000, 1,500 and 600 entries in between, some rows empty.
Csr rowsMatrix(Rng& rng)
{
    Csr m;
    m.cols = 9000;
    for (int row = 0; row < 4000; ++row)
        addRow(m, row == 1234 ? 6000 : row == 2900 ? 1500 : row == 3777 ? 600 : rng.below(20), rng);
    return m;
}

/// 301 x 75,000 with one row of 70,000 entries.
Csr denseRowMatrix(Rng& rng)
{
    Csr m;
    m.cols = 75000;
    for (int row = 0; row < 301; ++row)
        addRow(m, row == 150 ? 70000 : rng.below(12), rng);
    return m;
}

/// A graph of 2,000 nodes and itself: every edge within 12 nodes by lot, both ways; values d_i d_j.
Csr factoredMatrix(bool far, Rng& rng)
{
    constexpr std::size_t count = 2000, reach = 12;
    std::vector<std::set<std::size_t>> columns(count);
    for (std::size_t i = 0; i < count; ++i) {
        columns[i].insert(i);
        for (std::size_t j = i + 1; j < std::min(count, i + reach + 1); ++j)
            if (rng.chance(0.4)) {
                columns[i].insert(j);
                columns[j].insert(i);
            }
    }
    std::vector<float> factors;
    factors.reserve(count);
    for (const auto& of : columns)
        factors.push_back(far ? std::ldexp(1.0f, rng.next() & 1 ? 20 : -20)
                              : 1 / std::sqrt(static_cast<float>(of.size())));
    Csr m;
    m.rows = m.cols = count;
    for (std::size_t i = 0; i < count; ++i) {
        for (const std::size_t j : columns[i]) {
            m.col.push_back(static_cast<std::int32_t>(j));
            m.val.push_back(factors[i] * factors[j]);
        }
        m.rowPtr.push_back(static_cast<std::int32_t>(m.col.size()));
    }
    return m;
}

/// 480 x 400, eight entries in every row.
Csr eightsMatrix(Rng& rng)
{
    Csr m;
    m.cols = 400;
    for (int row = 0; row < 480; ++row)
        addRow(m, 8, rng);
    return m;
}

/// 500 x 1500, three entries in every row, in the columns after those of the row before.
Csr threesMatrix()
{
    Csr m;
    m.cols = 1500;
    for (m.rows = 0; m.rows < 500; ++m.rows) {
        for (std::int32_t k = 0; k < 3; ++k)
            m.col.push_back(3 * m.rows + k);
        m.rowPtr.push_back(static_cast<std::int32_t>(m.col.size()));
    }
    return m;
}

/// Patterns that programs might take for granted. Empty: another name.
std::string_view generatorOf(std::string_view name)
{
    return name == "stencil"       ? "stencil2d(n=40,points=9)"
           : name == "grid"        ? "stencil2d(n=24)"
           : name == "diagonal"    ? "diagonals(n=500,count=1)"
           : name == "tridiagonal" ? "diagonals(n=501,count=3,spread=1)"
           : name == "band"        ? "banded(n=501,band=10,fill=1)"
           : name == "nodes"       ? "blockfem(nodes=100,block=3)"
                                   : "";
}

} // namespace

Result<std::vector<Attack>> loadAttacks(const fs::path& folder)
{
    SPARSERL_TRY(const auto json, readJson(folder / "attacks.json"));
    std::vector<Attack> attacks;
    std::set<std::string> names;
    try {
        for (const auto& entry : json) {
            Attack attack;
            entry.at("program").get_to(attack.program);
            entry.at("attack").get_to(attack.attack);
            entry.at("defence").get_to(attack.defence);
            entry.at("rows").get_to(attack.rows);
            entry.at("verdicts").get_to(attack.verdicts);
            entry.at("says").get_to(attack.says);
            attack.flag = jsonValue<std::string>(entry, "flag", "");
            if (entry.contains("gpu"))
                entry.at("gpu").get_to(attack.onGpu);
            attack.matrix = jsonValue<std::string>(entry, "matrix", "small");
            attack.after = jsonValue<std::string>(entry, "after", "");
            attack.columns = jsonValue<std::int64_t>(entry, "columns", 1);
            const auto type = elementTypeFromName(jsonValue<std::string>(entry, "type", "f32"));
            if (!type || (*type != ElementType::F32 && *type != ElementType::F64))
                return failAt(attack.program, 0, "its type is neither f32 nor f64");
            attack.type = *type;
            if (!contains(matrixNames, attack.matrix))
                return failAt(attack.program, 0, "no matrix is called '" + attack.matrix + "'");
            if (!attack.after.empty() && !names.contains(attack.after))
                return failAt(attack.program, 0, "'" + attack.after + "' is to be judged before it",
                              "list them in that order");
            SPARSERL_TRY(auto text, readFile(folder / "programs" / (attack.program + ".cu"), 1u << 20));
            attack.text = std::move(text);
            names.insert(attack.program);
            attacks.push_back(std::move(attack));
        }
    } catch (const nlohmann::json::exception& e) {
        return failAt((folder / "attacks.json").string(), 0,
                      std::string("the list of attacks cannot be read: ") + e.what());
    }
    SPARSERL_TRY(const auto files, listDirectory(folder / "programs"));
    for (const auto& file : files)
        if (!names.contains(file.stem().string()))
            return failAt(file.string(), 0, "this program is not in attacks.json",
                          "say there what must become of it");
    return attacks;
}

std::optional<std::string> complaint(const Attack& attack, const VerdictRecord& record)
{
    const std::string verdict(nameOf(record.verdict));
    if (!contains(record.simulated || attack.onGpu.empty() ? attack.verdicts : attack.onGpu, verdict))
        return "the verdict is " + verdict + " (" + record.message + ")";
    if (record.message.find(attack.says) == std::string::npos)
        return "the message does not speak of \"" + attack.says + "\": " + record.message;
    if (!attack.flag.empty() && !record.flags.has(attack.flag))
        return "the flag " + attack.flag + " is missing";
    // What a compiler would show of files it was made to read.
    for (const char* leak : {"root:x:0:0:root", "/etc/"})
        if (record.log.find(leak) != std::string::npos || record.message.find(leak) != std::string::npos)
            return std::string("something of the machine comes back (") + leak + ")";
    return std::nullopt;
}

std::optional<Csr> attackedMatrix(std::string_view name)
{
    if (!contains(matrixNames, name))
        return std::nullopt;
    Rng rng(5);
    if (name == "factored" || name == "far-factors")
        return factoredMatrix(name == "far-factors", rng);
    const std::string_view generator = generatorOf(name);
    Csr m = !generator.empty()    ? *generate(generator)
            : name == "entries"   ? entriesMatrix(rng)
            : name == "eights"    ? eightsMatrix(rng)
            : name == "threes"    ? threesMatrix()
            : name == "rows"      ? rowsMatrix(rng)
            : name == "dense-row" ? denseRowMatrix(rng)
                                  : smallMatrix(rng);
    m.val = randomVector(m.nnz(), rng);
    if (name == "own-values")
        for (float& value : m.val)
            value = std::ldexp(value, static_cast<int>(rng.below(61)) - 30);
    if (name == "tiny")
        for (float& value : m.val)
            value = std::ldexp(value, -129); // Subnormal, all of them.
    if (name == "two-sizes")
        for (std::size_t i = 0; i < m.val.size(); i += 2)
            m.val[i] *= 1e-9f;
    if (name == "integers")
        for (float& value : m.val)
            value = static_cast<float>(1 + rng.below(9));
    if (name == "ones")
        std::fill(m.val.begin(), m.val.end(), 1.0f);
    return m;
}

Result<std::vector<VerdictRecord>> judgeAttacks(Judge& judge, const std::vector<Attack>& attacks,
                                                std::uint64_t seed, const CancelToken& cancel,
                                                const std::function<void()>& done)
{
    std::map<std::string, std::pair<std::shared_ptr<const Csr>, std::string>> matrices;
    std::vector<VerdictRecord> all(attacks.size());
    for (const bool later : {false, true}) {
        std::vector<JudgeRequest> requests;
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < attacks.size(); ++i) {
            const Attack& attack = attacks[i];
            if (attack.after.empty() == later)
                continue;
            auto& [matrix, itsDigest] = matrices[attack.matrix];
            if (!matrix) {
                matrix = std::make_shared<const Csr>(attackedMatrix(attack.matrix).value());
                itsDigest = digest(*matrix);
            }
            JudgeRequest request;
            request.program = attack.text;
            request.target = {{.contents = itsDigest,
                               .name = attack.matrix,
                               .variant = {.columns = attack.columns, .type = attack.type}},
                              matrix};
            request.seed = seed;
            requests.push_back(std::move(request));
            places.push_back(i);
        }
        auto records = judge.judge(requests, cancel, [&](std::size_t, const VerdictRecord&) {
            if (done)
                done();
        });
        if (!records)
            return fail(records.error());
        for (std::size_t i = 0; i < places.size(); ++i)
            all[places[i]] = std::move((*records)[i]);
    }
    return all;
}

} // namespace sparserl
