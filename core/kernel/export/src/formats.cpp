// SPDX-License-Identifier: Apache-2.0
#include "formats.h"

#include "conversion_blocked.h"
#include "status.h"

#include <type_traits>

namespace sparserl_bundle {

namespace {

template <typename T>
HostArray held(std::vector<T>&& values)
{
    const auto kept = std::make_shared<const std::vector<T>>(std::move(values));
    return {kept, kept->data(), kept->size() * sizeof(T), std::is_same_v<T, real>};
}

Built build(Kind kind, const std::vector<std::int64_t>& p, const Csr& a, const Part* part, std::int64_t limit)
{
    // Formats that name rows name those of the matrix.
    const auto named = [&](std::vector<std::int32_t>&& rows) {
        if (part)
            rename_rows(rows, *part);
        return held(std::move(rows));
    };
    switch (kind) {
    case Kind::csr: {
        CsrArrays f(a);
        return {{held(std::move(f.row_ptr)), held(std::move(f.col)), held(std::move(f.val))}, {}};
    }
    case Kind::coo: {
        Coo f = build_coo(a);
        return {{named(std::move(f.row)), held(std::move(f.col)), held(std::move(f.val))}, {}};
    }
    case Kind::csc: {
        Csc f = build_csc(a);
        return {{held(std::move(f.col_ptr)), named(std::move(f.row)), held(std::move(f.val))}, {}};
    }
    case Kind::ell: {
        Ell f = build_ell(a, limit);
        return {{held(std::move(f.col)), held(std::move(f.val))}, {f.width}};
    }
    case Kind::sell: {
        Sell f = build_sell(a, p.at(0), p.at(1), limit);
        return {{held(std::move(f.slice_ptr)), held(std::move(f.col)), held(std::move(f.val)),
                 named(std::move(f.row_ids))},
                {f.slices}};
    }
    case Kind::hyb: {
        const std::int64_t width = p.at(0) ? hyb_width(a, p.at(1)) : p.at(1);
        Hyb f = build_hyb(a, width, limit);
        return {{held(std::move(f.ell_col)), held(std::move(f.ell_val)), named(std::move(f.coo_row)),
                 held(std::move(f.coo_col)), held(std::move(f.coo_val))},
                {f.width, f.coo_nnz}};
    }
    case Kind::dia: {
        Dia f = build_dia(a, limit);
        return {{held(std::move(f.offset)), held(std::move(f.val))}, {f.diagonals}};
    }
    case Kind::bsr: {
        Bsr f = build_bsr(a, p.at(0), limit);
        return {{held(std::move(f.row_ptr)), held(std::move(f.col)), held(std::move(f.val))},
                {f.block_rows, f.blocks}};
    }
    case Kind::csr16: {
        Csr16 f = build_csr16(a);
        return {{held(std::move(f.row_ptr)), held(std::move(f.base)), held(std::move(f.off)),
                 held(std::move(f.val))},
                {}};
    }
    case Kind::sell16: {
        Sell16 f = build_sell16(a, p.at(0), p.at(1), limit);
        return {{held(std::move(f.slice_ptr)), held(std::move(f.base)), held(std::move(f.off)),
                 held(std::move(f.val)), named(std::move(f.row_ids))},
                {f.slices}};
    }
    case Kind::csr5: {
        Csr5 f = build_csr5(a, p.at(0));
        return {{held(std::move(f.col)), held(std::move(f.val)), held(std::move(f.flag)),
                 held(std::move(f.y_off)), held(std::move(f.tile_row)), named(std::move(f.row_ids))},
                {f.tiles, f.full_rows}};
    }
    case Kind::tiles: {
        Tiles f = build_tiles(a, p.at(0));
        return {{held(std::move(f.row)), held(std::move(f.nz))}, {f.count}};
    }
    case Kind::blocks: {
        Blocks f = build_blocks(a, p.at(0));
        return {{held(std::move(f.row))}, {f.count}};
    }
    case Kind::windows: {
        Windows f = build_windows(a, p.at(0));
        return {{held(std::move(f.window_ptr)), held(std::move(f.col))}, {f.count}};
    }
    case Kind::panels: {
        Panels f = build_panels(a, p.at(0), limit);
        return {{held(std::move(f.row_ptr)), held(std::move(f.col)), held(std::move(f.val))}, {f.count}};
    }
    case Kind::order: {
        Order f = build_order(a);
        return {{named(std::move(f.row_ids))}, {}};
    }
    case Kind::dense: {
        Dense f = build_dense(a, limit);
        return {{held(std::move(f.val))}, {}};
    }
    }
    throw Failure(Status::not_applicable, "the bundle is damaged: unknown storage format");
}

} // namespace

Built build_format(Kind kind, const std::vector<std::int64_t>& parameters, const Csr& matrix,
                   const Part* part, std::int64_t limit)
{
    try {
        return part ? build(kind, parameters, part->csr(), part, limit)
                    : build(kind, parameters, matrix, nullptr, limit);
    } catch (const Failure&) {
        throw;
    } catch (const std::runtime_error& reason) { // What conversion*.h says.
        throw Failure(Status::not_applicable,
                      std::string("this kernel does not apply to this matrix: ") + reason.what());
    }
}

Built arrays_of(const std::shared_ptr<const Part>& part)
{
    const auto view = [&](const auto& values) {
        const bool of_matrix = std::is_same_v<std::decay_t<decltype(values)>, std::vector<real>>;
        return HostArray{part, values.data(), values.size() * sizeof(values[0]), of_matrix};
    };
    return {{view(part->row_ids), view(part->row_ptr), view(part->col), view(part->val)},
            {part->rows, part->nnz}};
}

Built arrays_of(const Csr& a)
{
    const auto count = static_cast<std::size_t>(a.nnz());
    return {{{nullptr, a.row_ptr, 4 * (static_cast<std::size_t>(a.rows) + 1), false},
             {nullptr, a.col, 4 * count, false},
             {nullptr, a.val, sizeof(real) * count, true}},
            {}};
}

} // namespace sparserl_bundle
