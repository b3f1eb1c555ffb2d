// SPDX-License-Identifier: Apache-2.0
#include "corpus/names.h"

#include "base/rng.h"

#include <algorithm>

namespace sparserl {

namespace {

/// Canonical, short and long name of a role, then more for mixed naming.
struct RoleNames
{
    std::string_view role;
    std::vector<std::string_view> names;
};

const std::vector<RoleNames>& roleNames()
{
    static const std::vector<RoleNames> table = {
        {"kernel", {"spmv", "k", "spmv_kernel", "multiply", "matvec", "csr_spmv", "apply"}},
        {"kernel_mm", {"spmm", "k", "spmm_kernel", "multiply", "matmul", "csr_spmm", "apply"}},
        {"dense_cols", {"N", "w", "dense_cols", "bn", "ncols_b"}},
        {"j", {"j", "c", "dense_column", "jj", "bcol"}},
        {"p", {"p", "q", "entry_lane", "sub", "way"}},
        {"a", {"a", "f", "value", "av", "weight"}},
        {"b", {"b", "g", "dense_row", "bv", "brow"}},
        {"base", {"base", "bs", "column_base", "first_col", "b0"}},
        {"short_offset", {"off", "of", "short_offsets", "delta16", "doff"}},
        {"from", {"from", "fb", "row_base", "col0", "start_col"}},
        {"slot_row", {"out_row", "id", "row_number", "dest", "rid"}},
        {"panels", {"panels", "np", "num_panels", "panel_count"}},
        {"panel", {"panel", "pi", "panel_index", "pq"}},
        {"panel_ptr", {"ptr", "pp", "panel_rows", "here_ptr"}},
        {"total", {"total", "tt", "block_total", "full"}},
        {"upper", {"upper", "hi", "upper_half", "second"}},
        {"half", {"half", "hf", "half_sum", "pair"}},
        {"one", {"one", "on", "column_sum", "single"}},
        {"odd", {"odd", "od", "odd_column", "right"}},
        {"warp", {"warp", "wi", "warp_index", "ww"}},
        {"kernel_long", {"spmm_long", "k_long", "spmm_long_rows", "multiply_long", "big_rows"}},
        {"kernel_short", {"spmm_short", "k_short", "spmm_short_rows", "multiply_short", "small_rows"}},
        {"tiles", {"tiles", "nt", "num_tiles", "tile_count"}},
        {"tile_row", {"tile_row", "tr", "tile_rows", "first_rows"}},
        {"tile_entry", {"tile_nz", "tn", "tile_entries", "first_entries"}},
        {"last_row", {"last", "lr", "last_row", "row_stop"}},
        {"stop", {"stop", "st", "tile_end", "limit"}},
        {"whole", {"whole", "wh", "complete", "owned"}},
        {"nnz", {"nnz", "nz", "num_entries", "entry_count"}},
        {"row_of", {"row_of", "ri", "row_indices", "rowidx"}},
        {"next_row", {"next", "nr", "next_row", "r1"}},
        {"long_blocks", {"long_blocks", "lb", "num_long_blocks", "big_blocks"}},
        {"long_rows", {"long_rows", "ln", "num_long_rows", "big_count"}},
        {"long_ids", {"long_ids", "li", "long_row_ids", "big_ids"}},
        {"long_ptr", {"long_ptr", "lp", "long_row_offsets", "big_ptr"}},
        {"long_col", {"long_col", "lc", "long_col_indices", "big_col"}},
        {"long_val", {"long_val", "lv", "long_values", "big_val"}},
        {"short_rows", {"short_rows", "sn", "num_short_rows", "small_count"}},
        {"short_ids", {"short_ids", "si", "short_row_ids", "small_ids"}},
        {"short_ptr", {"short_ptr", "sq", "short_row_offsets", "small_ptr"}},
        {"short_col", {"short_col", "sd", "short_col_indices", "small_col"}},
        {"short_width", {"short_width", "sx", "short_row_width", "small_width"}},
        {"mid_blocks", {"mid_blocks", "mb", "num_mid_blocks", "middle_blocks"}},
        {"mid_rows", {"mid_rows", "mn", "num_mid_rows", "middle_count"}},
        {"mid_width", {"mid_width", "mx", "mid_row_width", "middle_width"}},
        {"mid_ids", {"mid_ids", "mi", "mid_row_ids", "middle_ids"}},
        {"mid_col", {"mid_col", "mc", "mid_col_indices", "middle_col"}},
        {"mid_val", {"mid_val", "mv", "mid_values", "middle_val"}},
        {"short_val", {"short_val", "sw", "short_values", "small_val"}},
        {"block_rows", {"block_rows", "br", "num_block_rows", "brows"}},
        {"quad", {"quads", "bq", "block_values", "bval"}},
        {"q", {"q", "h", "quarter", "qq"}},
        {"r", {"r", "d", "row_in_tile", "rr"}},
        {"k", {"k", "at", "entry_index", "e0", "here"}},
        {"held", {"w", "hv", "current_value", "weight0", "cur"}},
        {"out", {"out", "dst", "c_row", "target", "to"}},
        {"u", {"u", "h", "step_index", "z", "k"}},
        {"first", {"first", "f0", "group_start", "base_slot", "start"}},
        {"mask", {"mask", "ms", "group_mask", "members"}},
        {"count", {"count", "cnt", "staged", "left"}},
        {"col_cache", {"cols", "sc", "cached_columns", "tile_col", "sh_col"}},
        {"val_cache", {"vals", "sv", "cached_values", "tile_val", "sh_val"}},
        {"rows", {"rows", "n", "num_rows", "m", "nrows"}},
        {"cols", {"cols", "m", "num_cols", "ncols"}},
        {"row_ptr", {"row_ptr", "rp", "row_offsets", "ptr", "offsets", "row_start"}},
        {"col", {"col", "ci", "col_indices", "idx", "indices", "column"}},
        {"val", {"val", "v", "values", "a", "data", "entries"}},
        {"row", {"row", "r", "row_index", "my_row", "i"}},
        {"sum", {"sum", "s", "total", "acc", "dot", "result"}},
        {"i", {"i", "j", "entry", "k", "p", "pos"}},
        {"end", {"end", "e", "row_end", "stop", "last"}},
        {"lane", {"lane", "l", "lane_id", "t", "part"}},
        {"offset", {"o", "d", "delta", "step", "shift"}},
        {"partial", {"part", "sh", "partial_sums", "buf", "warp_sums"}},
        {"width", {"width", "w", "row_width", "max_len"}},
        {"slices", {"slices", "ns", "num_slices", "slice_count"}},
        {"slice_ptr", {"slice_ptr", "sp", "slice_offsets", "slice_start"}},
        {"slice", {"slice", "c", "slice_index", "chunk"}},
        {"row_ids", {"row_ids", "ids", "row_numbers", "perm"}},
        {"thread", {"t", "g", "thread_index", "gid", "tid"}},
        {"diagonals", {"diagonals", "nd", "num_diagonals", "ndiag"}},
        {"diagonal_offset", {"offset", "off", "diagonal_offset", "shifts"}},
        {"d", {"d", "q", "diagonal", "diag"}},
        {"column", {"c", "u", "column_index", "xi"}},
        // Of idioms.cpp.
        {"map_kernel", {"map", "k", "map_elements", "transform", "apply_all", "elementwise"}},
        {"gather_kernel", {"gather", "k", "gather_values", "permute", "pick", "lookup"}},
        {"reduce_kernel", {"reduce", "k", "reduce_block", "block_reduce", "fold", "partial_results"}},
        {"scan_kernel", {"scan", "k", "prefix_scan", "block_scan", "running", "prefix"}},
        {"histogram_kernel", {"histogram", "k", "count_values", "hist", "bin_counts", "tally"}},
        {"transpose_kernel", {"transpose", "k", "transpose_tiles", "flip", "turn"}},
        {"stencil_kernel", {"stencil", "k", "stencil_line", "convolve", "smooth", "fir"}},
        {"product_kernel", {"product", "k", "dense_product", "gemm", "tiled_product"}},
        {"search_kernel", {"search", "k", "lower_bounds", "bisect", "find_places"}},
        {"compact_kernel", {"compact", "k", "compact_values", "filter", "keep_some", "select_if"}},
        {"segment_kernel", {"segments", "k", "segment_reduce", "reduce_segments", "per_segment"}},
        {"softmax_kernel", {"softmax", "k", "softmax_rows", "normalise", "row_softmax"}},
        {"sort_kernel", {"sort", "k", "bitonic_sort", "sort_block", "order_values"}},
        {"polynomial_kernel", {"polynomial", "k", "evaluate_polynomial", "horner_all", "series"}},
        {"helper", {"horner", "f", "evaluate", "poly", "helper"}},
        {"n", {"n", "m", "count", "size", "length", "num_elements"}},
        {"in", {"in", "a", "input", "src", "data", "values"}},
        {"in2", {"in2", "b", "other", "rhs", "right_in"}},
        {"result", {"out", "r", "output", "dst", "result", "answer"}},
        {"index", {"index", "ix", "positions", "map_to", "idx", "order"}},
        {"factor", {"alpha", "f", "factor", "scale", "weight"}},
        {"value", {"value", "v", "element", "elem", "val"}},
        {"block_tile", {"tile", "s", "shared_tile", "staged", "block_data"}},
        {"tile2", {"tile2", "s2", "other_tile", "right_tile", "tile_b"}},
        {"bins", {"bins", "h", "local_bins", "counts", "shared_counts"}},
        {"bin", {"bin", "q", "bin_index", "slot", "cell"}},
        {"local", {"t", "l", "local_index", "tx", "me"}},
        {"place", {"place", "w", "target_index", "at", "position"}},
        {"left", {"low", "lo", "left_end", "begin", "from"}},
        {"right", {"high", "hi", "right_end", "stop", "upto"}},
        {"middle", {"middle", "mid", "centre", "half", "m"}},
        {"offsets", {"offsets", "off", "segment_offsets", "starts", "bounds"}},
        {"segment", {"segment", "g", "segment_index", "group", "piece"}},
        {"best", {"best", "mx", "row_maximum", "peak", "top"}},
        {"partner", {"partner", "z", "other_index", "mate", "peer"}},
        {"sort_stage", {"stage", "p", "sorted_length", "phase", "run"}},
        {"distance", {"distance", "dd", "stride", "jump", "gap"}},
    };
    return table;
}

} // namespace

const std::string& Names::of(std::string_view role)
{
    if (const auto found = m_chosen.find(role); found != m_chosen.end())
        return found->second;
    const auto& table = roleNames();
    const auto entry =
        std::find_if(table.begin(), table.end(), [&](const RoleNames& names) { return names.role == role; });
    std::string name(role);
    if (entry != table.end()) {
        std::size_t index = 0;
        if (m_style.naming == Style::Naming::Short)
            index = 1;
        else if (m_style.naming == Style::Naming::Long)
            index = 2;
        else if (m_style.naming == Style::Naming::Mixed)
            index = Rng(m_style.seed).derive(role).below(entry->names.size());
        for (std::size_t k = 0; k < entry->names.size(); ++k) {
            name = entry->names[(index + k) % entry->names.size()];
            if (m_used.count(name) == 0)
                break;
        }
    }
    while (!m_used.insert(name).second)
        name += '_';
    return m_chosen.emplace(role, name).first->second;
}

} // namespace sparserl
