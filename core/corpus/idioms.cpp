// SPDX-License-Identifier: Apache-2.0
#include "corpus/idioms.h"

#include "base/rng.h"
#include "corpus/family_parameters.h"
#include "corpus/idiom_table.h"
#include "corpus/kernel_text.h"

#include <fmt/format.h>

namespace sparserl {

namespace {

const std::vector<IdiomEntry>& idiomTable()
{
    static const std::vector<IdiomEntry> table = [] {
        auto all = arrayIdioms();
        for (auto& entry : blockIdioms())
            all.push_back(std::move(entry));
        return all;
    }();
    return table;
}

/// The head of a kernel over `n` elements, up to its body.
void begin(Grammar& g, std::string_view role, const std::vector<std::string>& comments)
{
    g.entry("1", g.constant("BLOCK", g.parameter("block")), comments, role);
}

void writeMap(Grammar& g)
{
    g.argument("int", "n", "");
    g.argument("float", "factor", "");
    g.argument("const float*", "in", "");
    g.argument("float*", "result", "");
    begin(g, "map_kernel", {"One element per thread.", "Applied to every element of an array."});
    const std::string value = g.name("in") + "[" + g.name("i") + "]", factor = g.name("factor");
    const std::string results[] = {
        factor + " * " + value,
        "fmaxf(" + value + ", 0.0f)",
        "fminf(fmaxf(" + value + ", -" + factor + "), " + factor + ")",
        value + " * " + value + " + " + factor,
        "1.0f / (1.0f + expf(-" + value + "))",
        "fabsf(" + value + ") > " + factor + " ? " + value + " : 0.0f",
    };
    KernelText text(g);
    text.set("VALUE", results[g.parameter("function")]);
    if (g.parameter("stride") != 0)
        text.write(R"(
            // The grid may be smaller than the array.
            for (int $i = blockIdx.x * blockDim.x + threadIdx.x; $i < $n; $i += gridDim.x * blockDim.x) {
            $result[$i] = @VALUE;
            })");
    else
        text.write(R"(
            int $i = blockIdx.x * blockDim.x + threadIdx.x;
            $guard[$i;$n]
            $result[$i] = @VALUE;
            $endguard)");
}

void writeVectorAdd(Grammar& g)
{
    g.argument("int", "n", "");
    g.argument("float", "factor", "");
    g.argument("const float4*", "in", "");
    g.argument("float4*", "result", "");
    begin(g, "map_kernel", {"Four elements per thread.", "Wide loads and stores."});
    KernelText text(g);
    text.write(R"(
        int $i = blockIdx.x * blockDim.x + threadIdx.x;
        $guard[$i;$n / 4]
        float4 $a = $in[$i];
        float4 $b = $result[$i];
        $mad[$b.x;$factor;$a.x]
        $mad[$b.y;$factor;$a.y]
        $mad[$b.z;$factor;$a.z]
        $mad[$b.w;$factor;$a.w]
        $result[$i] = $b;
        $endguard)");
}

void writeGather(Grammar& g)
{
    const auto mode = g.parameter("mode");
    g.argument("int", "n", "");
    g.argument("const int*", "index", "");
    g.argument("const float*", "in", "");
    g.argument("float*", "result", "");
    begin(g, "gather_kernel", {"Indirect access by a list of positions.", "Elements change their places."});
    KernelText text(g);
    text.set("MOVE", text.expand(mode == 0   ? "$result[$i] = $in[$index[$i]];"
                                 : mode == 1 ? "$result[$index[$i]] = $in[$i];"
                                             : "atomicAdd(&$result[$index[$i]], $in[$i]);"));
    text.write(R"(
        int $i = blockIdx.x * blockDim.x + threadIdx.x;
        $guard[$i;$n]
        @MOVE
        $endguard)");
}

void writeSearch(Grammar& g)
{
    g.argument("int", "n", "");
    g.argument("const int*", "in", "");
    g.argument("int", "count", "");
    g.argument("const int*", "in2", "");
    g.argument("int*", "result", "");
    begin(g, "search_kernel", {"Binary search in a sorted array.", "Every thread looks for one value."});
    KernelText text(g);
    text.set("LESS", g.parameter("upper") != 0 ? "<=" : "<");
    text.write(R"(
        int $i = blockIdx.x * blockDim.x + threadIdx.x;
        $guard[$i;$count]
        int $value = $in2[$i];
        int $left = 0, $right = $n;
        // The place lies between both ends.
        while ($left < $right) {
        int $middle = ($left + $right) / 2;
        if ($in[$middle] @LESS $value) $left = $middle + 1;
        else $right = $middle;
        }
        $result[$i] = $left;
        $endguard)");
}

void writeSegments(Grammar& g)
{
    const IdiomOperation op(g);
    const bool warp = g.parameter("warp") != 0;
    g.argument("int", "count", "");
    g.argument("const int*", "offsets", "");
    g.argument(fmt::format("const {}*", op.type()), "in", "");
    g.argument(op.type() + "*", "result", "");
    begin(g, "segment_kernel",
          warp ? std::vector<std::string>{"One warp per segment.", "A warp folds each segment."}
               : std::vector<std::string>{"One thread per segment.", "Segments are short."});
    KernelText text(g);
    text.set("TYPE", op.type()).set("NEUTRAL", op.neutral());
    text.set("ADD", op.into(g.name("sum"), g.name("in") + "[" + g.name("i") + "]"));
    if (!warp) {
        text.write(R"(
            int $segment = blockIdx.x * blockDim.x + threadIdx.x;
            $guard[$segment;$count]
            @TYPE $sum = @NEUTRAL;
            for (int $i = $offsets[$segment]; $i < $offsets[$segment + 1]; $i++) {
            @ADD
            }
            $result[$segment] = $sum;
            $endguard)");
        return;
    }
    text.write(R"(
        int $segment = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
        int $lane = threadIdx.x % 32;
        $guard[$segment;$count]
        @TYPE $sum = @NEUTRAL;
        for (int $i = $offsets[$segment] + $lane; $i < $offsets[$segment + 1]; $i += 32) {
        @ADD
        })");
    combineLanes(g, op, "sum");
    text.write(R"(
        if ($lane == 0) $result[$segment] = $sum;
        $endguard)");
}

void writeDenseRows(Grammar& g)
{
    g.argument("int", "rows", "");
    g.argument("int", "cols", "");
    g.argument("const float*", "in", "");
    g.argument("const float*", "in2", "");
    g.argument("float*", "result", "");
    begin(g, "product_kernel", {"A dense matrix times a vector.", "A warp takes each row."});
    KernelText text(g);
    text.write(R"(
        int $row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
        int $lane = threadIdx.x % 32;
        $guard[$row;$rows]
        float $sum = 0;
        for (int $j = $lane; $j < $cols; $j += 32) {
        $mad[$sum;$in[$row * $cols + $j];$in2[$j]]
        }
        $reduce[16;1]
        if ($lane == 0) $result[$row] = $sum;
        $endguard)");
}

void writeCompact(Grammar& g)
{
    g.argument("int", "n", "");
    g.argument("float", "factor", "");
    g.argument("const float*", "in", "");
    g.argument("int*", "count", "");
    g.argument("float*", "result", "");
    begin(g, "compact_kernel",
          {"Keeps what is above a bound, in any order.", "A warp reserves its places at once."});
    KernelText text(g);
    text.set("VOTE", g.style().butterfly ? "__activemask()" : "0xffffffff");
    text.write(R"(
        int $i = blockIdx.x * blockDim.x + threadIdx.x;
        int $lane = threadIdx.x & 31;
        float $value = $i < $n ? $in[$i] : 0.0f;
        bool $whole = $i < $n && $value > $factor;
        // One bit for every lane that keeps its value.
        unsigned $mask = __ballot_sync(@VOTE, $whole);
        int $first = 0;
        if ($lane == 0) $first = atomicAdd($count, __popc($mask));
        $first = __shfl_sync(@VOTE, $first, 0);
        int $place = $first + __popc($mask & ((1u << $lane) - 1));
        if ($whole) $result[$place] = $value;)");
}

void writePolynomial(Grammar& g)
{
    const auto terms = g.parameter("terms");
    const std::string value = g.name("value"), sum = g.name("sum"), factors = g.name("factor");
    KernelText text(g);
    text.constant("TERMS", terms);
    g.function(fmt::format("__device__ {}float {}(const float* {}, float {})",
                           g.style().launchBounds ? "__forceinline__ " : "inline ", g.name("helper"), factors,
                           value));
    text.write(R"(
        float $sum = 0;
        $unroll[@TERMS]
        for (int $u = @TERMS - 1; $u >= 0; $u--) {
        $sum = $sum * $value + $factor[$u];
        }
        return $sum;)");
    g.argument("int", "n", "");
    g.argument("const float*", "factor", "");
    g.argument("const float*", "in", "");
    g.argument("float*", "result", "");
    begin(g, "polynomial_kernel", {"Horner's rule.", "A polynomial of every element."});
    text.write(R"(
        int $i = blockIdx.x * blockDim.x + threadIdx.x;
        $guard[$i;$n]
        $result[$i] = $helper($factor, $in[$i]);
        $endguard)");
}

} // namespace

std::string IdiomOperation::neutral() const
{
    if (m_op == 0)
        return "0";
    if (m_integer)
        return m_op == 1 ? "-2147483647" : "2147483647";
    return m_op == 1 ? "-3.4e38f" : "3.4e38f";
}

std::string IdiomOperation::into(const std::string& target, const std::string& value) const
{
    if (m_op == 0)
        return fmt::format("{} += {};", target, value);
    const char* const function = m_integer ? (m_op == 1 ? "max" : "min") : (m_op == 1 ? "fmaxf" : "fminf");
    return fmt::format("{0} = {1}({0}, {2});", target, function, value);
}

const FamilyParameter& idiomOperator()
{
    static const FamilyParameter parameter = {"op", "0: sum, 1: maximum, 2: minimum", {0, 1, 2}};
    return parameter;
}
const FamilyParameter& idiomType()
{
    static const FamilyParameter parameter = {"integer", "0: float, 1: int", {0, 1}};
    return parameter;
}
const FamilyParameter& idiomBlock()
{
    static const FamilyParameter parameter = {"block", "threads per block", {128, 64, 256, 512}};
    return parameter;
}

void combineLanes(Grammar& g, const IdiomOperation& operation, const std::string& role)
{
    KernelText text(g);
    const std::string shuffled =
        fmt::format("__shfl_{}_sync(0xffffffff, {}, {})", g.style().butterfly ? "xor" : "down", g.name(role),
                    g.name("offset"));
    text.set("INTO", operation.into(g.name(role), shuffled));
    text.write(g.style().bitOperations ? "for (int $offset = 16; $offset > 0; $offset >>= 1) @INTO"
                                       : "for (int $offset = 16; $offset > 0; $offset /= 2) @INTO");
}

std::vector<IdiomEntry> arrayIdioms()
{
    const auto& block = idiomBlock();
    return {
        {{"I1",
          "map",
          "One operation on every element of an array.",
          {block,
           {"function", "which operation", {0, 1, 2, 3, 4, 5}},
           {"stride", "1: a loop over the grid", {0, 1}}},
          {}},
         writeMap},
        {{"I2", "wide map", "Four neighbouring elements per thread.", {block}, {}}, writeVectorAdd},
        {{"I3",
          "gather and scatter",
          "Elements read or written by a list of positions.",
          {block, {"mode", "0: gather, 1: scatter, 2: atomic additions", {0, 1, 2}}},
          {}},
         writeGather},
        {{"I4",
          "binary search",
          "Each thread looks for one value in a sorted array.",
          {block, {"upper", "1: behind equal ones", {0, 1}}},
          {}},
         writeSearch},
        {{"I5",
          "segments",
          "One result for each segment of an array.",
          {block, idiomOperator(), idiomType(), {"warp", "1: a warp per segment", {0, 1}}},
          {}},
         writeSegments},
        {{"I6", "dense rows", "A dense matrix times a vector, a warp per row.", {block}, {}}, writeDenseRows},
        {{"I7", "compaction", "Keeps some elements; warps vote and reserve places.", {block}, {}},
         writeCompact},
        {{"I8",
          "polynomial",
          "A device function that a kernel calls for every element.",
          {block, {"terms", "coefficients", {4, 3, 5, 6, 8}}},
          {}},
         writePolynomial},
    };
}

const std::vector<Family>& idioms()
{
    static const std::vector<Family> list = [] {
        std::vector<Family> all;
        for (const auto& entry : idiomTable())
            all.push_back(entry.family);
        return all;
    }();
    return list;
}

Result<DerivedProgram> deriveIdiom(std::string_view idiom, const FamilyParameters& parameters,
                                   const Style& style)
{
    for (const auto& entry : idiomTable()) {
        if (entry.family.id != idiom)
            continue;
        SPARSERL_TRY(auto complete, completeParameters(entry.family, parameters));
        Grammar grammar(complete, style);
        entry.write(grammar);
        return DerivedProgram{grammar.codeText(), entry.family.id, std::move(complete)};
    }
    return fail(fmt::format("there is no idiom '{}'", idiom));
}

DerivedProgram sampleIdiom(double variety, Rng& rng)
{
    const auto& all = idioms();
    const Family& family = all[rng.below(all.size())];
    FamilyParameters parameters;
    for (const FamilyParameter& parameter : family.parameters)
        parameters[parameter.name] = parameter.values[rng.below(parameter.values.size())];
    return *deriveIdiom(family.id, parameters, Style::sample(variety, rng)); // values of its own domains
}

} // namespace sparserl
