// SPDX-License-Identifier: Apache-2.0
#include "corpus/idiom_table.h"
#include "corpus/kernel_text.h"

#include <fmt/format.h>

namespace sparserl {

namespace {

std::string begin(Grammar& g, std::string_view role, const std::vector<std::string>& comments)
{
    std::string block = g.constant("BLOCK", g.parameter("block"));
    g.entry("1", block, comments, role);
    return block;
}

KernelText operationText(Grammar& g, const IdiomOperation& op)
{
    KernelText text(g);
    text.set("TYPE", op.type()).set("NEUTRAL", op.neutral());
    return text;
}

void writeTreeReduction(Grammar& g)
{
    const IdiomOperation op(g);
    g.argument("int", "n", "");
    g.argument(fmt::format("const {}*", op.type()), "in", "");
    g.argument(op.type() + "*", "result", "");
    const std::string block =
        begin(g, "reduce_kernel", {"A tree in shared memory.", "One result for each block."});
    auto text = operationText(g, op);
    const std::string local = g.name("local"), partial = g.name("partial");
    text.set("BLOCK", block)
        .set("LOAD", op.into(g.name("sum"), g.name("in") + "[" + g.name("i") + "]"))
        .set("FOLD",
             op.into(partial + "[" + local + "]", partial + "[" + local + " + " + g.name("offset") + "]"))
        .set("HALF", g.style().bitOperations ? ">>= 1" : "/= 2");
    text.write(R"(
        __shared__ @TYPE $partial[@BLOCK];
        int $local = threadIdx.x;
        @TYPE $sum = @NEUTRAL;
        for (int $i = blockIdx.x * @BLOCK + $local; $i < $n; $i += gridDim.x * @BLOCK) {
        @LOAD
        }
        $partial[$local] = $sum;
        __syncthreads();
        // Half of the threads go on each time.
        for (int $offset = @BLOCK / 2; $offset > 0; $offset @HALF) {
        if ($local < $offset) @FOLD
        __syncthreads();
        }
        if ($local == 0) $result[blockIdx.x] = $partial[0];)");
}

void writeWarpReduction(Grammar& g)
{
    const IdiomOperation op(g);
    g.argument("int", "n", "");
    g.argument(fmt::format("const {}*", op.type()), "in", "");
    g.argument(op.type() + "*", "result", "");
    const std::string block = begin(
        g, "reduce_kernel", {"Shuffles inside a warp, shared memory between warps.", "A two-stage fold."});
    auto text = operationText(g, op);
    text.set("BLOCK", block).set("LOAD", op.into(g.name("sum"), g.name("in") + "[" + g.name("i") + "]"));
    text.write(R"(
        __shared__ @TYPE $partial[32];
        int $lane = threadIdx.x % 32, $warp = threadIdx.x / 32;
        @TYPE $sum = @NEUTRAL;
        for (int $i = blockIdx.x * @BLOCK + threadIdx.x; $i < $n; $i += gridDim.x * @BLOCK) {
        @LOAD
        })");
    combineLanes(g, op, "sum");
    text.write(R"(
        if ($lane == 0) $partial[$warp] = $sum;
        __syncthreads();
        if ($warp == 0) {
        $sum = $lane < @BLOCK / 32 ? $partial[$lane] : @NEUTRAL;)");
    combineLanes(g, op, "sum");
    text.set("STORE", g.parameter("op") == 0
                          ? fmt::format("atomicAdd({}, {});", g.name("result"), g.name("sum"))
                          : fmt::format("{}[blockIdx.x] = {};", g.name("result"), g.name("sum")));
    text.write(R"(
        if ($lane == 0) @STORE
        })");
}

void writeScan(Grammar& g)
{
    const IdiomOperation op(g);
    const bool shuffles = g.parameter("shuffles") != 0, exclusive = g.parameter("exclusive") != 0;
    g.argument("int", "n", "");
    g.argument(fmt::format("const {}*", op.type()), "in", "");
    g.argument(op.type() + "*", "result", "");
    const std::string block = begin(
        g, "scan_kernel", {"Prefixes of what a block holds.", "Every element gets what stands before it."});
    auto text = operationText(g, op);
    const std::string sum = g.name("sum"), value = g.name("value"), local = g.name("local"),
                      offset = g.name("offset"), tile = g.name("block_tile");
    text.set("BLOCK", block).set("FOLD", op.into(sum, value));
    text.write(R"(
        int $local = threadIdx.x;
        int $i = blockIdx.x * blockDim.x + $local;
        @TYPE $sum = $i < $n ? $in[$i] : @NEUTRAL;)");
    if (shuffles) {
        text.write(R"(
            int $lane = $local % 32;
            for (int $offset = 1; $offset < 32; $offset *= 2) {
            @TYPE $value = __shfl_up_sync(0xffffffff, $sum, $offset);
            if ($lane >= $offset) @FOLD
            })");
        if (exclusive)
            text.write(R"(
                @TYPE $whole = __shfl_up_sync(0xffffffff, $sum, 1);
                $sum = $lane == 0 ? @NEUTRAL : $whole;)");
        text.write("if ($i < $n) $result[$i] = $sum;");
        return;
    }
    text.write(R"(
        __shared__ @TYPE $block_tile[@BLOCK];
        $block_tile[$local] = $sum;
        __syncthreads();
        // Twice as far in every round.
        for (int $offset = 1; $offset < @BLOCK; $offset *= 2) {
        @TYPE $value = $local >= $offset ? $block_tile[$local - $offset] : @NEUTRAL;
        __syncthreads();
        @FOLD
        $block_tile[$local] = $sum;
        __syncthreads();
        })");
    text.write(exclusive ? "if ($i < $n) $result[$i] = $local > 0 ? $block_tile[$local - 1] : @NEUTRAL;"
                         : "if ($i < $n) $result[$i] = $block_tile[$local];");
}

void writeHistogram(Grammar& g)
{
    KernelText text(g);
    text.constant("BINS", g.parameter("bins"));
    g.argument("int", "n", "");
    g.argument("const int*", "in", "");
    g.argument("int*", "result", "");
    text.set("BLOCK", begin(g, "histogram_kernel", {"Atomics in shared memory first.", "Counts values."}));
    text.write(R"(
        __shared__ int $bins[@BINS];
        for (int $bin = threadIdx.x; $bin < @BINS; $bin += @BLOCK) $bins[$bin] = 0;
        __syncthreads();
        for (int $i = blockIdx.x * @BLOCK + threadIdx.x; $i < $n; $i += gridDim.x * @BLOCK) {
        int $value = $in[$i];
        if ($value >= 0 && $value < @BINS) atomicAdd(&$bins[$value], 1);
        }
        __syncthreads();
        // One addition to global memory for each bin.
        for (int $bin = threadIdx.x; $bin < @BINS; $bin += @BLOCK) atomicAdd(&$result[$bin], $bins[$bin]);)");
}

void writeTranspose(Grammar& g)
{
    KernelText text(g);
    text.constant("TILE", g.parameter("tile"));
    text.set("PAD", g.parameter("pad") != 0 ? " + 1" : "");
    g.argument("int", "rows", "");
    g.argument("int", "cols", "");
    g.argument("const float*", "in", "");
    g.argument("float*", "result", "");
    g.entry("1", text.expand("@TILE * @TILE"),
            {"A tile passes through shared memory.", "Rows become columns."}, "transpose_kernel");
    text.write(R"(
        __shared__ float $block_tile[@TILE][@TILE@PAD];
        int $column = blockIdx.x * @TILE + threadIdx.x;
        int $row = blockIdx.y * @TILE + threadIdx.y;
        if ($row < $rows && $column < $cols) $block_tile[threadIdx.y][threadIdx.x] = $in[$row * $cols + $column];
        __syncthreads();
        $column = blockIdx.y * @TILE + threadIdx.x;
        $row = blockIdx.x * @TILE + threadIdx.y;
        if ($row < $cols && $column < $rows) $result[$row * $rows + $column] = $block_tile[threadIdx.x][threadIdx.y];)");
}

void writeStencil(Grammar& g)
{
    KernelText text(g);
    text.constant("RADIUS", g.parameter("radius"));
    g.argument("int", "n", "");
    g.argument("const float*", "factor", "");
    g.argument("const float*", "in", "");
    g.argument("float*", "result", "");
    text.set("BLOCK",
             begin(g, "stencil_kernel", {"A block with its halo.", "A weighted sum of neighbours."}));
    text.write(R"(
        __shared__ float $block_tile[@BLOCK + 2 * @RADIUS];
        int $local = threadIdx.x + @RADIUS;
        int $i = blockIdx.x * @BLOCK + threadIdx.x;
        $block_tile[$local] = $i < $n ? $in[$i] : 0.0f;
        // The first threads also bring what lies on both sides.
        if (threadIdx.x < @RADIUS) {
        $block_tile[$local - @RADIUS] = $i >= @RADIUS && $i - @RADIUS < $n ? $in[$i - @RADIUS] : 0.0f;
        $block_tile[$local + @BLOCK] = $i + @BLOCK < $n ? $in[$i + @BLOCK] : 0.0f;
        }
        __syncthreads();
        $guard[$i;$n]
        float $sum = 0;
        $unroll[@RADIUS]
        for (int $u = -@RADIUS; $u <= @RADIUS; $u++) {
        $mad[$sum;$factor[$u + @RADIUS];$block_tile[$local + $u]]
        }
        $result[$i] = $sum;
        $endguard)");
}

void writeProduct(Grammar& g)
{
    KernelText text(g);
    text.constant("TILE", g.parameter("tile"));
    g.argument("int", "rows", "");
    g.argument("int", "count", "");
    g.argument("int", "cols", "");
    g.argument("const float*", "in", "");
    g.argument("const float*", "in2", "");
    g.argument("float*", "result", "");
    g.entry("1", text.expand("@TILE * @TILE"),
            {"Dense matrices, tile by tile.", "Both factors are staged in shared memory."}, "product_kernel");
    text.write(R"(
        __shared__ float $block_tile[@TILE][@TILE];
        __shared__ float $tile2[@TILE][@TILE];
        int $row = blockIdx.y * @TILE + threadIdx.y;
        int $column = blockIdx.x * @TILE + threadIdx.x;
        float $sum = 0;
        for (int $first = 0; $first < $count; $first += @TILE) {
        bool $whole = $row < $rows && $first + threadIdx.x < $count;
        $block_tile[threadIdx.y][threadIdx.x] = $whole ? $in[$row * $count + $first + threadIdx.x] : 0.0f;
        $whole = $column < $cols && $first + threadIdx.y < $count;
        $tile2[threadIdx.y][threadIdx.x] = $whole ? $in2[($first + threadIdx.y) * $cols + $column] : 0.0f;
        __syncthreads();
        $unroll[@TILE]
        for (int $u = 0; $u < @TILE; $u++) {
        $mad[$sum;$block_tile[threadIdx.y][$u];$tile2[$u][threadIdx.x]]
        }
        __syncthreads();
        }
        if ($row < $rows && $column < $cols) $result[$row * $cols + $column] = $sum;)");
}

void writeSoftmax(Grammar& g)
{
    KernelText text(g);
    g.argument("int", "cols", "");
    g.argument("const float*", "in", "");
    g.argument("float*", "result", "");
    text.set("BLOCK",
             begin(g, "softmax_kernel", {"One block per row.", "Exponentials that cannot overflow."}));
    const auto folded = [&](const char* role, const char* fold) {
        text.set("ROLE", g.name(role)).set("FOLD", text.expand(fold));
        text.write(R"(
            $partial[$local] = @ROLE;
            __syncthreads();
            for (int $offset = @BLOCK / 2; $offset > 0; $offset /= 2) {
            if ($local < $offset) $partial[$local] = @FOLD;
            __syncthreads();
            }
            @ROLE = $partial[0];
            __syncthreads();)");
    };
    text.write(R"(
        __shared__ float $partial[@BLOCK];
        int $row = blockIdx.x, $local = threadIdx.x;
        float $best = -3.4e38f;
        for (int $j = $local; $j < $cols; $j += @BLOCK) $best = fmaxf($best, $in[$row * $cols + $j]);)");
    folded("best", "fmaxf($partial[$local], $partial[$local + $offset])");
    text.write(R"(
        float $sum = 0;
        for (int $j = $local; $j < $cols; $j += @BLOCK) $sum += expf($in[$row * $cols + $j] - $best);)");
    folded("sum", "$partial[$local] + $partial[$local + $offset]");
    text.write(R"(
        for (int $j = $local; $j < $cols; $j += @BLOCK) {
        $result[$row * $cols + $j] = expf($in[$row * $cols + $j] - $best) / $sum;
        })");
}

void writeSort(Grammar& g)
{
    KernelText text(g);
    text.set("TYPE", g.parameter("integer") != 0 ? "int" : "float");
    text.set("MORE", g.parameter("descending") != 0 ? "<" : ">");
    g.argument(text.expand("@TYPE*"), "result", "");
    text.set("BLOCK", begin(g, "sort_kernel", {"Bitonic network of one block.", "Pairs change places."}));
    text.write(R"(
        __shared__ @TYPE $block_tile[@BLOCK];
        int $local = threadIdx.x;
        $block_tile[$local] = $result[blockIdx.x * @BLOCK + $local];
        __syncthreads();
        for (int $sort_stage = 2; $sort_stage <= @BLOCK; $sort_stage *= 2) {
        for (int $distance = $sort_stage / 2; $distance > 0; $distance /= 2) {
        int $partner = $local ^ $distance;
        if ($partner > $local) {
        @TYPE $a = $block_tile[$local], $b = $block_tile[$partner];
        if (($local & $sort_stage) == 0 ? $a @MORE $b : $b @MORE $a) {
        $block_tile[$local] = $b;
        $block_tile[$partner] = $a;
        }
        }
        __syncthreads();
        }
        }
        $result[blockIdx.x * @BLOCK + $local] = $block_tile[$local];)");
}

} // namespace

std::vector<IdiomEntry> blockIdioms()
{
    const auto& block = idiomBlock();
    const FamilyParameter tile = {"tile", "rows and columns of a tile", {16, 8, 32}};
    return {
        {{"I9",
          "reduction by a tree",
          "A block folds its elements in shared memory.",
          {block, idiomOperator(), idiomType()},
          {}},
         writeTreeReduction},
        {{"I10",
          "reduction by warps",
          "Shuffles inside warps, then one warp over the warps.",
          {block, idiomOperator(), idiomType()},
          {}},
         writeWarpReduction},
        {{"I11",
          "scan",
          "Prefixes within a warp or a block.",
          {block,
           idiomOperator(),
           idiomType(),
           {"shuffles", "1: within warps, by shuffles", {0, 1}},
           {"exclusive", "1: without the element itself", {0, 1}}},
          {}},
         writeScan},
        {{"I12",
          "histogram",
          "Counts by atomics, in shared memory first.",
          {block, {"bins", "values counted", {64, 16, 128, 256}}},
          {}},
         writeHistogram},
        {{"I13",
          "transpose",
          "A tile of a matrix through shared memory.",
          {tile, {"pad", "1: rows of the tile are one longer", {1, 0}}},
          {}},
         writeTranspose},
        {{"I14",
          "stencil",
          "A weighted sum of neighbours, with a halo.",
          {block, {"radius", "neighbours on each side", {1, 2, 3, 4}}},
          {}},
         writeStencil},
        {{"I15", "dense product", "Two dense matrices by tiles.", {tile}, {}}, writeProduct},
        {{"I16", "softmax", "Rows to probabilities, a block per row.", {block}, {}}, writeSoftmax},
        {{"I17",
          "sort",
          "A bitonic network in shared memory.",
          {block, idiomType(), {"descending", "1: largest first", {0, 1}}},
          {}},
         writeSort},
    };
}

} // namespace sparserl
