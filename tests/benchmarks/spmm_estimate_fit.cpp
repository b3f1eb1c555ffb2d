// SPDX-License-Identifier: Apache-2.0
// Terms of a time of SpMM programs beside measured times, to fit an estimate to as SpMV has one
// (core/corpus/spmv_estimate.h): reads rows of `sparserl device calibrate` and matrices by name from packs or
// files, prints one line per program: matrix and columns, family, parameters, measured microseconds, the
// score of today's recommendation (0: not recommended), terms, tail. Usage: bench_spmm_estimate_fit
// ROWS.jsonl MATRIX...
#include "corpus/estimate_device.h"
#include "corpus/spmv_estimate.h"
#include "machine/device_model.h"
#include "matrix/features.h"
#include "named_features.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

using namespace sparserl;

namespace {

/// What a program loads, issues and waits for.
struct Work
{
    double bytes = 0;        ///< Of A as stored, read once for every slice of columns.
    double threads = 0;      ///< Of all launches.
    double block = 128;      ///< Threads per block.
    double chain = 0;        ///< Dependent loads, in latencies, of the slowest thread.
    double typical = 0;      ///< The same of a typical one.
    double instructions = 0; ///< Of all threads.
    double gathered = 0;     ///< Bytes of B that loads ask for, in whole sectors.
    double launches = 1;
    double zeroed = 0;   ///< 1: C is cleared before.
    double inFlight = 8; ///< Bytes of loads that a thread has in flight.
    double atomics = 0;  ///< Rows of C that are added to.
};

/// One program on one matrix, and what its lanes do.
class Case
{
public:
    Case(const SpmvMatrix& matrix, double columns, const FamilyParameters& parameters)
        : m(matrix)
        , n(columns)
        , m_parameters(parameters)
    {
        across = has("across") ? of("across") : 1;
        vec = has("vec") ? of("vec") : 1;
        chunks = has("merge") ? of("merge") : 1;
        unroll = of("unroll");
        width = across * vec * chunks;
        slices = std::ceil(n / width);
    }

    bool has(const char* name) const { return m_parameters.count(name) != 0; }
    double of(const char* name) const { return valueOf(m_parameters, name); }

    /// Latencies of the entries that one lane takes of `length`.
    double rounds(double length, double ways) const
    {
        const double steps = std::ceil(length / ways);
        if (of("batch") == 2 && has("batch"))
            return 1 + std::ceil(steps / unroll);
        if (of("batch") == 1 && has("batch"))
            return 2 * std::ceil(steps / unroll);
        return 2 * (std::floor(steps / unroll) + std::min(steps, std::fmod(steps, unroll)));
    }
    /// Latencies of adding up over the ways: inside a warp, over a block.
    double reduction(double ways) const
    {
        const double inWarp = std::min(ways, std::max(1.0, 32 / across));
        return m.shuffles(std::log2(std::max(1.0, inWarp)) * vec * chunks) + (ways > inWarp ? 1.2 : 0);
    }
    double perEntry() const { return 6 + chunks * (2 + vec); } ///< Instructions of a lane.
    double inFlight() const
    {
        return std::max(2.0, has("batch") && of("batch") > 0 ? unroll : 2) * (8 + 4 * vec * chunks);
    }
    /// Bytes of whole sectors for so many rows of B.
    double rowsOfB(double count) const
    {
        return count * slices * chunks * std::max(32.0, std::min(4 * n, 4 * across * vec));
    }
    double csrBytes() const { return 8 * m.nnz + 4 * m.rows; }

    /// `groups` sets of across * ways lanes, each with `mean` entries, `longest` at most; `entries` in all.
    Work groups(double groups, double ways, double entries, double mean, double longest) const
    {
        Work w;
        w.bytes = csrBytes();
        w.block = of("block");
        w.threads = groups * across * ways * slices;
        w.typical = 1 + rounds(mean, ways) + reduction(ways);
        w.chain = 1 + rounds(longest, ways) + reduction(ways);
        w.instructions = w.threads * (35 + 3 * std::log2(std::max(1.0, ways)) * vec * chunks) +
                         entries * across * slices * perEntry();
        w.gathered = rowsOfB(entries);
        w.inFlight = inFlight();
        return w;
    }

    const SpmvMatrix& m;
    double n;
    double across, vec, chunks, unroll;
    double width;  ///< Columns that a set of lanes covers.
    double slices; ///< Of the columns of B.

private:
    const FamilyParameters& m_parameters;
};

double typicalLength(const SpmvMatrix& m)
{
    return std::max(m.mean, static_cast<double>(m.features.rowQ80));
}

Work groupWork(const Case& c, double least)
{
    const double ways = std::max(least, c.of("lanes") / c.across);
    return c.groups(c.m.rows, ways, c.m.nnz, typicalLength(c.m), c.m.longest);
}

/// Stored over real entries of slices of sorted rows.
double sliceFill(const Case& c)
{
    const double slice = c.of("slice"), sigma = c.of("sigma");
    const double spread = c.m.features.rowCv * std::sqrt(2 * std::log(std::max(slice, 2.0)));
    const double sorted = sigma <= slice ? 1 : slice / sigma;
    return 1 + std::min(spread, c.m.longest / c.m.mean) * std::min(1.0, sorted * 1.5 + 0.02);
}

/// M14 to M16.
Work paddedWork(const Case& c, const std::string& family)
{
    const bool slices = family == "M14" || (family == "M16" && c.of("slice") > 0);
    const double pad = family == "M15" ? c.m.longest / c.m.mean : slices ? sliceFill(c) : 1;
    const double ways = std::max(1.0, c.of("lanes") / c.across);
    Work w = c.groups(c.m.rows, ways, c.m.nnz * pad, typicalLength(c.m) * (family == "M15" ? pad : 1),
                      c.m.longest);
    w.bytes = c.m.nnz * pad * (family == "M16" ? 6 : 8) + c.m.rows * (slices ? 8 : family == "M16" ? 8 : 0);
    w.chain -= family == "M15" ? 1 : 0; // No row pointer.
    w.typical -= family == "M15" ? 1 : 0;
    return w;
}

/// M1
Work elementWork(const Case& c)
{
    Work w;
    w.bytes = c.csrBytes();
    w.block = c.of("block");
    w.threads = c.m.rows * std::ceil(c.n / c.chunks);
    w.typical = 1 + c.rounds(typicalLength(c.m), 1);
    w.chain = 1 + c.rounds(c.m.longest, 1);
    w.instructions = w.threads * 30 + c.m.nnz * std::ceil(c.n / c.chunks) * (6 + 3 * c.chunks);
    w.gathered = c.m.nnz * std::max(32.0, 4 * c.n);
    w.inFlight = 2 * (8 + 4 * c.chunks);
    return w;
}

/// M2, M3 and M5: tiles of A in shared memory.
Work stagedWork(const Case& c, const std::string& family)
{
    const double tile = c.across * (c.has("stage") ? c.of("stage") : 1);
    const auto latencies = [&](double length) {
        const double tiles = std::ceil(length / tile);
        return tiles * (1.5 + std::ceil(std::min(length, tile) / c.unroll));
    };
    Work w = c.groups(c.m.rows, 1, c.m.nnz, 1, 1);
    w.typical = (family == "M5" ? 2 : 1) + latencies(typicalLength(c.m));
    w.chain = (family == "M5" ? 2 : 1) + latencies(c.m.longest);
    w.inFlight = c.unroll * 4 * c.vec * c.chunks;
    return w;
}

/// M6 and M13: equal shares of the entries.
Work shareWork(const Case& c, const std::string& family)
{
    const double items = c.of("items");
    const double shares = family == "M6" ? (c.m.nnz + c.m.rows) / items : c.m.nnz / items;
    const double ways = family == "M6" ? std::max(1.0, c.of("lanes") / c.across) : 1;
    Work w = c.groups(shares, ways, c.m.nnz, items, items);
    if (family == "M6") { // Each row of a share is walked, reduced and stored by itself.
        const double rowsEach = std::max(1.0, c.m.rows / std::max(1.0, shares));
        const double each = std::min(items, std::max(1.0, c.m.mean));
        w.typical = w.chain = 2 + rowsEach * (1.5 + c.reduction(ways) + c.rounds(each, ways));
    } else {
        w.bytes = 12 * c.m.nnz;
    }
    w.zeroed = 1;
    w.atomics = shares + (family == "M13" ? c.m.rows : 0);
    return w;
}

/// How full blocks of b x b are; 0 where nothing says so.
double blockFill(const Case& c, double b)
{
    const auto& fill = c.m.features.blockFill;
    const double three = std::clamp((fill[0] - 0.35) / 0.35, 0.0, 1.0);
    return b == 2    ? fill[0]
           : b == 4  ? fill[1]
           : b == 8  ? fill[2]
           : b == 16 ? fill[3]
           : b == 3  ? three
                     : 0.7 * three;
}

/// M8
Work blockWork(const Case& c, double full)
{
    const double b = c.of("size");
    const double entries = c.m.nnz / full, blocks = entries / (b * b);
    const double ways = std::max(1.0, c.of("lanes") / c.across);
    const double perRow = c.m.mean / full / b, most = c.m.longest / full / b;
    Work w;
    w.bytes = 4 * entries + 4 * blocks;
    w.block = c.of("block");
    w.threads = c.m.rows / b * c.across * ways * c.slices;
    const auto latencies = [&](double count) {
        return 1 + 2 * std::ceil(std::ceil(count / ways) / c.unroll);
    };
    w.typical = latencies(perRow) + b * c.reduction(ways);
    w.chain = latencies(most) + b * c.reduction(ways);
    w.instructions =
        w.threads * (35 + b * 4) + blocks * c.across * c.slices * (10 + b * 3 + b * b * (0.5 + c.vec));
    w.gathered = c.rowsOfB(blocks * b);
    w.inFlight = c.unroll * b * 4 * c.vec;
    return w;
}

/// M11 and M20: rows by length.
Work partsWork(const Case& c, const std::string& family)
{
    const auto& f = c.m.features;
    const auto below = [&](double length) {
        if (length > c.m.longest)
            return 1.0;
        if (length > static_cast<double>(f.rowQ99))
            return 0.995;
        if (length > static_cast<double>(f.rowQ80))
            return 0.9;
        return length > static_cast<double>(f.rowQ50) ? 0.65 : 0.3;
    };
    const bool buckets = family == "M20";
    const double low = buckets ? c.of("first") : c.of("split"), high = buckets ? c.of("second") : low;
    const double ways = std::max(1.0, c.of("lanes") / c.across), all = c.of("block") / c.across;
    const double middleWays = buckets ? std::max(c.of("mid_lanes"), 2 * c.across) / c.across : 1;
    const double few = c.m.rows * below(low);
    const double many = c.m.longest >= high ? std::min(c.m.rows * (1 - below(high)), c.m.nnz / high) : 0;
    const double middle = std::max(0.0, c.m.rows - few - many);
    Work w = c.groups(few, ways, c.m.nnz, std::min(typicalLength(c.m), low), std::min(c.m.longest, low));
    const double piece = buckets || c.of("piece") == 0 ? 0 : c.of("piece");
    const double longBlocks = piece > 0 ? many * std::max(1.0, 2 * high / piece) : many;
    w.threads += (middle * c.across * middleWays + longBlocks * c.of("block")) * c.slices;
    if (many > 0)
        w.chain = std::max(w.chain, 2 + c.rounds(piece > 0 ? piece : c.m.longest, all) + c.reduction(all));
    if (middle > 0 && buckets)
        w.chain =
            std::max(w.chain, c.rounds(std::min(high, c.m.longest), middleWays) + c.reduction(middleWays));
    w.bytes += 4 * c.m.rows;
    if (buckets)
        w.bytes = 8 * few * std::min(low, c.m.longest) + 8 * middle * high + 4 * c.m.rows;
    w.zeroed = piece > 0 ? 1 : 0;
    w.atomics = piece > 0 ? longBlocks : 0;
    w.launches = buckets || c.of("fused") == 1 ? 1 : 2;
    return w;
}

/// M12
Work panelWork(const Case& c)
{
    const double panels = std::ceil(c.m.cols / c.of("width"));
    Work w = groupWork(c, 1);
    w.bytes = 8 * c.m.nnz + 4 * c.m.rows * panels;
    w.typical += (panels - 1) * 1.5;
    w.chain += (panels - 1) * 1.5;
    w.instructions += w.threads * panels * 12;
    return w;
}

/// M17
Work diagonalWork(const Case& c)
{
    const auto diagonals = static_cast<double>(c.m.features.diagonals);
    Work w = c.groups(c.m.rows, 1, diagonals * c.m.rows, diagonals, diagonals);
    w.bytes = 4 * diagonals * c.m.rows;
    w.typical = w.chain = 1 + 1.5 * std::ceil(diagonals / c.unroll);
    w.gathered *= 0.5; // Neighbouring rows of B.
    return w;
}

/// M18
Work denseWork(const Case& c)
{
    const double tile = c.of("tile"), ways = c.of("block") / c.across;
    const double tiles = std::ceil(c.m.rows / tile);
    Work w;
    w.bytes = 4 * c.m.rows * c.m.cols;
    w.block = c.of("block");
    w.threads = tiles * c.of("block") * c.slices;
    w.typical = w.chain = std::ceil(std::ceil(c.m.cols / ways) / c.unroll) + 2 + tile * c.reduction(ways);
    w.instructions = w.threads * 40 + tiles * c.m.cols * c.across * c.slices * (5 + tile * (2 + c.vec));
    w.gathered = c.rowsOfB(tiles * c.m.cols);
    w.inFlight = c.unroll * 4 * (c.vec + tile);
    return w;
}

std::optional<Work> workOf(const std::string& family, const Case& c)
{
    if (family == "M1")
        return elementWork(c);
    if (family == "M2" || family == "M3" || family == "M5")
        return stagedWork(c, family);
    if (family == "M4" || family == "M7")
        return groupWork(c, family == "M7" ? 2 : 1);
    if (family == "M6" || family == "M13")
        return shareWork(c, family);
    if (family == "M8") {
        const double full = blockFill(c, c.of("size"));
        return full < 0.05 ? std::nullopt : std::optional(blockWork(c, full));
    }
    if (family == "M11" || family == "M20")
        return partsWork(c, family);
    if (family == "M12")
        return panelWork(c);
    if (family == "M14" || family == "M15" || family == "M16")
        return paddedWork(c, family);
    if (family == "M17")
        return diagonalWork(c);
    if (family == "M18")
        return denseWork(c);
    if (family == "M19") {
        Work w = c.groups(c.m.rows, c.of("block") / c.across, c.m.nnz, typicalLength(c.m), c.m.longest);
        return w;
    }
    return std::nullopt;
}

/// In microseconds each, in the order of NAMES of spmm_estimate_fit.py.
std::vector<double> terms(const Work& w, const Case& c)
{
    const SpmvMatrix& m = c.m;
    const SpmvDevice& d = m.device;
    const double bytesOfB = 4 * std::min(m.cols, m.nnz) * c.n, bytesOfC = 4 * m.rows * c.n;
    const double working = w.bytes + bytesOfB + bytesOfC;
    const double latency = working < d.l2Bytes ? d.l2LatencyUs : d.dramLatencyUs;
    const double blocks = std::max(1.0, w.threads / w.block);
    const double used = std::min(d.sms, blocks);
    const double registers = 28 + 0.35 * w.inFlight;
    const double perSm =
        std::max(1.0, std::floor(std::min(d.registersPerSm / registers, d.threadsPerSm) / w.block));
    const double waves = std::max(1.0, w.threads / (d.sms * perSm * w.block * 0.9));
    const double share = working <= d.l2Bytes ? 0 : std::min(1.0, (working - d.l2Bytes) / d.l2Bytes);
    const double starved = std::max(0.0, 1 - w.inFlight / 48);
    const double reuse = std::clamp(m.features.windowReuse, 1.0, 4.0);
    return {d.call,
            (w.launches - 1) * d.launch,
            w.zeroed * (d.clear + bytesOfC / d.l2BytesPerUs),
            latency * w.chain,
            latency * (waves - 1) * w.typical,
            w.bytes * c.slices / d.l2BytesPerUs,
            (w.bytes + bytesOfB + bytesOfC) * share / d.dramBytesPerUs,
            w.gathered * starved / d.l2BytesPerUs,
            w.gathered / reuse / d.l2BytesPerUs,
            w.gathered / d.l2BytesPerUs,
            w.gathered * share / d.dramBytesPerUs,
            bytesOfC / d.l2BytesPerUs,
            w.instructions / (d.lanesPerUs * used / d.sms),
            blocks * 0.001 * d.block,
            (w.bytes + w.gathered) / (used * d.smBytesPerUs),
            w.atomics * std::ceil(c.n / 8) * 0.0001 * d.atomic};
}

} // namespace

int main(int argc, char** argv)
{
    const DeviceModel& model = defaultDeviceModel(); // Times are of such a one.
    const SpmvDevice device = spmvDevice(model);
    const std::span words(argv, static_cast<std::size_t>(argc));
    const auto known = namedFeatures(words.subspan(std::min<std::size_t>(2, words.size())));
    if (!known) {
        fmt::print(stderr, "{}\n", known.error().sentence());
        return 1;
    }
    const auto& features = *known;
    std::map<std::pair<std::string, std::int64_t>, std::vector<Candidate>> recommended;
    std::ifstream file(argc > 1 ? argv[1] : "");
    for (std::string line; std::getline(file, line);) {
        const auto row = nlohmann::json::parse(line, nullptr, false);
        if (row.is_discarded() || !row.value("correct", false) || row.value("dense_columns", 1) < 2 ||
            !row.contains("warm"))
            continue;
        const std::string name = row.value("matrix", "");
        const std::int64_t columns = row.value("dense_columns", 1);
        const auto found = features.find(name);
        const KernelFamily* one = findKernelFamily(row.value("family", ""));
        if (found == features.end() || !one || one->task() != Task::SpMM)
            continue;
        FamilyParameters parameters;
        const std::string text = row.value("parameters", "{}");
        const auto given = nlohmann::json::parse(text, nullptr, false);
        for (const auto& [key, value] : given.items())
            parameters[key] = value.get<std::int64_t>();
        auto [list, fresh] = recommended.try_emplace({name, columns});
        if (fresh)
            list->second = recommend(Task::SpMM, found->second, model, columns);
        double score = 0;
        for (const Candidate& candidate : list->second) {
            const auto program = derive(candidate.family, candidate.parameters, {});
            if (candidate.family == one->family.id && program && program->parameters == parameters)
                score = candidate.score;
        }
        const SpmvMatrix matrix(found->second, device);
        const Case measured(matrix, static_cast<double>(columns), parameters);
        const auto work = workOf(one->family.id, measured);
        if (!work)
            continue;
        fmt::print("{}@{}\t{}\t{}\t{:.4f}\t{:.4f}\t{:.4f}\t{:.4f}\n", name, columns, one->family.id, text,
                   row["warm"].value("median", 0.0), score, fmt::join(terms(*work, measured), "\t"),
                   SpmvEstimate(found->second, device).tail());
    }
    return 0;
}
