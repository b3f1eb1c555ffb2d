// SPDX-License-Identifier: Apache-2.0
// Every storage format: hand-made vectors that follow the table of docs/formats.md line by line, and each
// format decoded back by the rule in that table for random matrices and parts.
#include "matrices.h"
#include "matrix/formats.h"

#include <QTest>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <set>

using namespace sparserl;
using namespace sparserl::test;

namespace {

constexpr std::int64_t unlimited = std::int64_t(1) << 60;
using Dense = std::vector<std::vector<float>>;
using Ints = std::vector<std::int32_t>;
using Floats = std::vector<float>;

template <typename T>
std::vector<T> arrayOf(const FormatData& data, std::string_view name)
{
    const FormatArray* array = data.find(name);
    if (!array || sizeOf(array->type) != sizeof(T)) {
        throw std::runtime_error("no array " + std::string(name));
    }
    std::vector<T> out(static_cast<std::size_t>(array->count()));
    if (!out.empty()) {
        std::memcpy(out.data(), array->bytes.data(), array->bytes.size());
    }
    return out;
}
Ints ints(const FormatData& data, std::string_view name)
{
    return arrayOf<std::int32_t>(data, name);
}
Floats floats(const FormatData& data, std::string_view name)
{
    return arrayOf<float>(data, name);
}

FormatData build(const Csr& a, const std::string& kind, std::map<std::string, std::int64_t> parameters = {},
                 std::optional<std::span<const std::int32_t>> part = {})
{
    auto data = buildFormat(a, {kind, std::move(parameters)}, part, unlimited);
    if (!data) {
        throw std::runtime_error(data.error().sentence());
    }
    // What the plan parser was promised is what there is.
    const FormatSignature* signature = formatSignature(kind);
    if (data->arrays.size() != signature->arrays.size() || data->counts.size() != signature->counts.size()) {
        throw std::runtime_error("signature and data differ: " + kind);
    }
    for (const auto& array : signature->arrays) {
        if (!data->find(array.name) || data->find(array.name)->type != array.type) {
            throw std::runtime_error("array of another type: " + kind + "." + array.name);
        }
    }
    for (const auto& count : signature->counts) {
        if (!data->counts.contains(count)) {
            throw std::runtime_error("no count: " + kind + "." + count);
        }
    }
    return std::move(*data);
}

/// 4 x 5, lengths 2 0 3 1.
Csr small()
{
    return fromDense({{1, 0, 2, 0, 0}, {0, 0, 0, 0, 0}, {0, 3, 0, 4, 5}, {6, 0, 0, 0, 0}});
}

void put(Dense& dense, std::int64_t row, std::int64_t col, float value)
{
    if (value != 0) {
        if (dense.at(row).at(col) != 0) {
            throw std::runtime_error("entry twice");
        }
        dense[row][col] = value;
    }
}

} // namespace

class TestFormats : public QObject
{
    Q_OBJECT

private:
    /// Checks all kinds on the rows of `part` (or all rows) by decoding them.
    static void decodeAll(const Csr& a, std::optional<std::span<const std::int32_t>> part)
    {
        Ints rows;
        if (part) {
            rows.assign(part->begin(), part->end());
        } else {
            for (int r = 0; r < a.rows; ++r) {
                rows.push_back(r);
            }
        }
        const auto n = static_cast<std::int64_t>(rows.size());
        Dense expected(a.rows, Floats(a.cols, 0));
        const Dense full = toDense(a);
        std::int64_t nnz = 0;
        for (const int r : rows) {
            expected[r] = full[r];
            nnz += a.rowLength(r);
        }
        const auto blank = [&] { return Dense(a.rows, Floats(a.cols, 0)); };

        { // csr: of a part, rows by position.
            const auto d = build(a, "csr", {}, part);
            const auto ptr = ints(d, "row_ptr");
            QCOMPARE(std::int64_t(ptr.size()), n + 1);
            Dense got = blank();
            for (std::int64_t p = 0; p < n; ++p) {
                for (int k = ptr[p]; k < ptr[p + 1]; ++k) {
                    put(got, rows[p], ints(d, "col")[k], floats(d, "val")[k]);
                }
            }
            QVERIFY(got == expected);
        }
        { // coo
            const auto d = build(a, "coo", {}, part);
            const auto row = ints(d, "row");
            QVERIFY(std::is_sorted(row.begin(), row.end()));
            Dense got = blank();
            for (std::size_t k = 0; k < row.size(); ++k) {
                put(got, row[k], ints(d, "col")[k], floats(d, "val")[k]);
            }
            QVERIFY(got == expected);
        }
        { // csc
            const auto d = build(a, "csc", {}, part);
            const auto ptr = ints(d, "col_ptr");
            QCOMPARE(ptr.size(), std::size_t(a.cols) + 1);
            Dense got = blank();
            for (int c = 0; c < a.cols; ++c) {
                for (int k = ptr[c]; k < ptr[c + 1]; ++k) {
                    put(got, ints(d, "row")[k], c, floats(d, "val")[k]);
                    QVERIFY(k == ptr[c] || ints(d, "row")[k] > ints(d, "row")[k - 1]);
                }
            }
            QVERIFY(got == expected);
        }
        { // ell
            const auto d = build(a, "ell", {}, part);
            const std::int64_t width = d.counts.at("width");
            const auto col = ints(d, "col");
            QCOMPARE(std::int64_t(col.size()), width * n);
            Dense got = blank();
            for (std::int64_t p = 0; p < n; ++p) {
                for (std::int64_t k = 0; k < width; ++k) {
                    QVERIFY(col[k * n + p] >= 0 && col[k * n + p] < a.cols);
                    put(got, rows[p], col[k * n + p], floats(d, "val")[k * n + p]);
                }
            }
            QVERIFY(got == expected);
        }
        for (const auto& [slice, sigma] :
             std::vector<std::pair<int, int>>{{1, 1}, {4, 8}, {32, 7}, {3, 1000}}) {
            const auto d = build(a, "sell", {{"slice", slice}, {"sigma", sigma}}, part);
            const auto ptr = ints(d, "slice_ptr");
            const auto ids = ints(d, "row_ids");
            const auto col = ints(d, "col");
            const std::int64_t slices = d.counts.at("slices");
            QCOMPARE(std::int64_t(ptr.size()), slices + 1);
            QCOMPARE(slices, (n + slice - 1) / slice);
            QCOMPARE(std::int64_t(ids.size()), slices * slice);
            Dense got = blank();
            std::set<int> seen;
            for (std::int64_t s = 0; s < slices; ++s) {
                QCOMPARE((ptr[s + 1] - ptr[s]) % slice, 0);
                for (int l = 0; l < slice; ++l) {
                    const int id = ids[s * slice + l];
                    QCOMPARE(id < 0, s * slice + l >= n);
                    QVERIFY(id < 0 || seen.insert(id).second);
                    for (int k = 0; k < (ptr[s + 1] - ptr[s]) / slice; ++k) {
                        const std::int64_t at = ptr[s] + k * slice + l;
                        QVERIFY(col[at] >= 0 && col[at] < a.cols);
                        if (id >= 0) {
                            put(got, id, col[at], floats(d, "val")[at]);
                        } else {
                            QCOMPARE(floats(d, "val")[at], 0.0f);
                        }
                    }
                }
            }
            QVERIFY(got == expected);
            // Longest first within each window of sigma, stable.
            for (std::int64_t i = 0; i + 1 < n; ++i) {
                if (i / sigma == (i + 1) / sigma) {
                    const int x = a.rowLength(ids[i]);
                    const int y = a.rowLength(ids[i + 1]);
                    QVERIFY(x > y || (x == y && ids[i] < ids[i + 1]));
                }
            }
            const auto narrow = build(a, "sell16", {{"slice", slice}, {"sigma", sigma}}, part);
            const auto base = ints(narrow, "base");
            const auto off = arrayOf<std::uint16_t>(narrow, "off");
            QVERIFY(ints(narrow, "slice_ptr") == ptr && ints(narrow, "row_ids") == ids);
            QVERIFY(floats(narrow, "val") == floats(d, "val"));
            for (std::int64_t s = 0; s < slices; ++s) {
                for (int at = ptr[s]; at < ptr[s + 1]; ++at) {
                    const std::int64_t lane = s * slice + (at - ptr[s]) % slice;
                    if (floats(d, "val")[at] != 0) {
                        QCOMPARE(base[lane] + off[at], col[at]);
                    } else {
                        QCOMPARE(off[at], std::uint16_t(0));
                    }
                    QVERIFY(base[lane] + off[at] < a.cols);
                }
            }
        }
        for (const auto& parameters : std::vector<std::map<std::string, std::int64_t>>{
                 {{"width", 2}}, {{"quantile", 1}}, {{"quantile", 80}}, {{"quantile", 100}}}) {
            const auto d = build(a, "hyb", parameters, part);
            const std::int64_t width = d.counts.at("width");
            const auto col = ints(d, "ell_col");
            Dense got = blank();
            for (std::int64_t p = 0; p < n; ++p) {
                for (std::int64_t k = 0; k < width; ++k) {
                    put(got, rows[p], col[k * n + p], floats(d, "ell_val")[k * n + p]);
                }
            }
            const auto cooRow = ints(d, "coo_row");
            QCOMPARE(std::int64_t(cooRow.size()), d.counts.at("coo_nnz"));
            for (std::size_t k = 0; k < cooRow.size(); ++k) {
                put(got, cooRow[k], ints(d, "coo_col")[k], floats(d, "coo_val")[k]);
            }
            QVERIFY(got == expected);
            if (const auto percent = parameters.find("quantile"); percent != parameters.end() && n > 0) {
                // The least width that so many rows fit: by counting.
                const auto fitting = [&](std::int64_t w) {
                    return std::count_if(rows.begin(), rows.end(),
                                         [&](int r) { return a.rowLength(r) <= w; });
                };
                QVERIFY(fitting(width) * 100 >= percent->second * n);
                QVERIFY(width == 0 || fitting(width - 1) * 100 < percent->second * n);
            }
        }
        { // csr16
            const auto d = build(a, "csr16", {}, part);
            const auto ptr = ints(d, "row_ptr");
            Dense got = blank();
            for (std::int64_t p = 0; p < n; ++p) {
                for (int k = ptr[p]; k < ptr[p + 1]; ++k) {
                    put(got, rows[p], ints(d, "base")[p] + arrayOf<std::uint16_t>(d, "off")[k],
                        floats(d, "val")[k]);
                }
            }
            QVERIFY(got == expected);
        }
        for (const int sigma : {1, 3, 32}) {
            const auto d = build(a, "csr5", {{"sigma", sigma}}, part);
            const std::int64_t tiles = d.counts.at("tiles");
            const auto ids = ints(d, "row_ids");
            const auto tileRow = ints(d, "tile_row");
            const auto flag = arrayOf<std::uint32_t>(d, "flag");
            QCOMPARE(std::int64_t(ids.size()), d.counts.at("full_rows"));
            Dense got = blank();
            std::int64_t ordinal = -1;
            for (std::int64_t e = 0; e < tiles * 32 * sigma; ++e) {
                const std::int64_t t = e / (32 * sigma);
                const std::int64_t l = e / sigma % 32;
                const std::int64_t k = e % sigma;
                const std::int64_t at = t * 32 * sigma + k * 32 + l;
                if ((flag[t * 32 + l] >> k & 1) != 0) {
                    ++ordinal;
                }
                if (e % (32 * sigma) == 0) {
                    QCOMPARE(std::int64_t(tileRow[t]), ordinal);
                }
                if (k == 0) {
                    int before = 0;
                    for (int other = 0; other < l; ++other) {
                        before += __builtin_popcount(flag[t * 32 + other]);
                    }
                    QCOMPARE(ints(d, "y_off")[t * 32 + l], before);
                }
                if (e < nnz) {
                    put(got, ids.at(ordinal), ints(d, "col")[at], floats(d, "val")[at]);
                } else {
                    QCOMPARE(floats(d, "val")[at], 0.0f);
                }
            }
            QCOMPARE(std::int64_t(tileRow[tiles]), std::int64_t(ids.size()));
            QVERIFY(got == expected);
        }
        for (const int items : {1, 5, 64}) {
            // Walk the merge path one step at a time.
            const auto d = build(a, "tiles", {{"items", items}}, part);
            const auto ptr = ints(build(a, "csr", {}, part), "row_ptr");
            std::int64_t r = 0;
            std::int64_t z = 0;
            Ints wantRow;
            Ints wantNz;
            for (std::int64_t step = 0; step <= n + nnz; ++step) {
                if (step % items == 0 || step == n + nnz) {
                    wantRow.push_back(static_cast<int>(r));
                    wantNz.push_back(static_cast<int>(z));
                }
                if (r < n && ptr[r + 1] <= z) {
                    ++r;
                } else {
                    ++z;
                }
            }
            QCOMPARE(ints(d, "row"), wantRow);
            QCOMPARE(ints(d, "nz"), wantNz);
            QCOMPARE(d.counts.at("count"), std::int64_t(wantRow.size()) - 1);
        }
        for (const int limit : {1, 6, 1000}) {
            const auto d = build(a, "blocks", {{"nnz", limit}}, part);
            const auto row = ints(d, "row");
            QCOMPARE(std::int64_t(row.size()), d.counts.at("count") + 1);
            QCOMPARE(row.front(), 0);
            QCOMPARE(std::int64_t(row.back()), n);
            const auto sum = [&](int from, int to) {
                std::int64_t total = 0;
                for (int p = from; p < to; ++p) {
                    total += a.rowLength(rows[p]);
                }
                return total;
            };
            for (std::size_t b = 0; b + 1 < row.size(); ++b) {
                QVERIFY(row[b + 1] > row[b]);
                QVERIFY(sum(row[b], row[b + 1]) <= limit || row[b + 1] == row[b] + 1);
                QVERIFY(row[b + 1] == n ||
                        sum(row[b], row[b + 1] + 1) > limit); // Greedy: one more does not fit.
            }
        }
        for (const int width : {1, 7, 100}) {
            const auto d = build(a, "panels", {{"width", width}}, part);
            const std::int64_t count = d.counts.at("count");
            QCOMPARE(count, (a.cols + width - 1) / width);
            const auto ptr = ints(d, "row_ptr");
            QCOMPARE(std::int64_t(ptr.size()), count * (n + 1));
            Dense got = blank();
            for (std::int64_t c = 0; c < count; ++c) {
                for (std::int64_t p = 0; p < n; ++p) {
                    for (int k = ptr[c * (n + 1) + p]; k < ptr[c * (n + 1) + p + 1]; ++k) {
                        QCOMPARE(ints(d, "col")[k] / width, int(c));
                        put(got, rows[p], ints(d, "col")[k], floats(d, "val")[k]);
                    }
                }
            }
            QVERIFY(got == expected);
        }
        { // order
            const auto ids = ints(build(a, "order", {}, part), "row_ids");
            Ints want = rows;
            std::stable_sort(want.begin(), want.end(),
                             [&](int x, int y) { return a.rowLength(x) > a.rowLength(y); });
            QCOMPARE(ids, want);
        }
    }

private Q_SLOTS:
    void elementTypes()
    {
        QCOMPARE(sizeOf(ElementType::U16), std::size_t(2));
        QCOMPARE(sizeOf(ElementType::F64), std::size_t(8));
        for (const auto type :
             {ElementType::I32, ElementType::U32, ElementType::I64, ElementType::F32, ElementType::F64,
              ElementType::U8, ElementType::U16, ElementType::F16, ElementType::BF16, ElementType::Bool}) {
            QVERIFY(elementTypeFromName(nameOf(type)) == type);
        }
        QVERIFY(!elementTypeFromName("f8").has_value());
    }

    void specsAreChecked()
    {
        QVERIFY(checkFormatSpec({"csr", {}}).has_value());
        QVERIFY(checkFormatSpec({"sell", {{"slice", 32}, {"sigma", 1}}}).has_value());
        QVERIFY(checkFormatSpec({"hyb", {{"width", 3}}}).has_value());
        QVERIFY(checkFormatSpec({"hyb", {{"quantile", 100}}}).has_value());
        for (const FormatSpec& bad : std::vector<FormatSpec>{{"sel", {}},
                                                             {"csr", {{"slice", 1}}},
                                                             {"sell", {{"slice", 32}}},
                                                             {"sell", {{"slice", 32}, {"sigma", 0}}},
                                                             {"sell", {{"slice", 32}, {"sigma", 2147483648}}},
                                                             {"hyb", {}},
                                                             {"hyb", {{"width", 1}, {"quantile", 1}}},
                                                             {"hyb", {{"quantile", 101}}},
                                                             {"csr5", {{"sigma", 33}}},
                                                             {"", {}}}) {
            QVERIFY2(!checkFormatSpec(bad).has_value(), bad.kind.c_str());
            QVERIFY(!buildFormat(small(), bad, {}, unlimited).has_value());
        }
        QVERIFY(!formatSignature("nothing"));
        for (const char* kind : {"dia", "bsr", "windows", "dense"}) {
            QVERIFY(!formatSignature(kind)->allowsPart);
        }
    }

    void handMade()
    {
        const Csr a = small();
        QVERIFY(a.valid());
        const auto coo = build(a, "coo");
        QCOMPARE(ints(coo, "row"), (Ints{0, 0, 2, 2, 2, 3}));
        QCOMPARE(ints(coo, "col"), (Ints{0, 2, 1, 3, 4, 0}));
        const auto csc = build(a, "csc");
        QCOMPARE(ints(csc, "col_ptr"), (Ints{0, 2, 3, 4, 5, 6}));
        QCOMPARE(ints(csc, "row"), (Ints{0, 3, 2, 0, 2, 2}));
        QCOMPARE(floats(csc, "val"), (Floats{1, 6, 3, 2, 4, 5}));
        const auto ell = build(a, "ell");
        QCOMPARE(ell.counts.at("width"), std::int64_t(3));
        QCOMPARE(floats(ell, "val"), (Floats{1, 0, 3, 6, 2, 0, 4, 0, 0, 0, 5, 0}));
        const auto sell = build(a, "sell", {{"slice", 2}, {"sigma", 4}});
        QCOMPARE(ints(sell, "row_ids"), (Ints{2, 0, 3, 1}));
        QCOMPARE(ints(sell, "slice_ptr"), (Ints{0, 6, 8}));
        QCOMPARE(floats(sell, "val"), (Floats{3, 1, 4, 2, 5, 0, 6, 0}));
        const auto dia = build(a, "dia");
        QCOMPARE(ints(dia, "offset"), (Ints{-3, -1, 0, 1, 2}));
        QCOMPARE(floats(dia, "val"),
                 (Floats{0,      0, 0, 6, /**/ 0, 0, 3, 0, /**/ 1, 0, 0, 0, /**/ 0, 0, 4, 0,
                         /**/ 2, 0, 5, 0}));
        const auto bsr = build(a, "bsr", {{"block", 2}});
        QCOMPARE(ints(bsr, "row_ptr"), (Ints{0, 2, 5}));
        QCOMPARE(ints(bsr, "col"), (Ints{0, 1, 0, 1, 2}));
        QCOMPARE(floats(bsr, "val"), (Floats{1, 0, 0, 0, 2, 0, 0, 0, 0, 3, 6, 0, 0, 4, 0, 0, 5, 0, 0, 0}));
        const auto hyb = build(a, "hyb", {{"width", 1}});
        QCOMPARE(floats(hyb, "ell_val"), (Floats{1, 0, 3, 6}));
        QCOMPARE(ints(hyb, "coo_row"), (Ints{0, 2, 2}));
        QCOMPARE(floats(hyb, "coo_val"), (Floats{2, 4, 5}));
        const auto windows = build(a, "windows", {{"rows", 3}});
        QCOMPARE(ints(windows, "window_ptr"), (Ints{0, 5, 6}));
        QCOMPARE(ints(windows, "col"), (Ints{0, 1, 2, 3, 4, 0}));
        const auto blocks = build(a, "blocks", {{"nnz", 2}});
        QCOMPARE(ints(blocks, "row"), (Ints{0, 2, 3, 4}));
        // Path: entries 0 1, end of rows 0 and 1, entries 2 3 4, end of row 2, entry 5, end of row 3.
        const auto tiles = build(a, "tiles", {{"items", 4}});
        QCOMPARE(ints(tiles, "row"), (Ints{0, 2, 3, 4}));
        QCOMPARE(ints(tiles, "nz"), (Ints{0, 2, 5, 6}));
        const auto panels = build(a, "panels", {{"width", 3}});
        QCOMPARE(ints(panels, "row_ptr"), (Ints{0, 2, 2, 3, 4, 4, 4, 4, 6, 6}));
        QCOMPARE(floats(panels, "val"), (Floats{1, 2, 3, 6, 4, 5}));
        QCOMPARE(ints(build(a, "order"), "row_ids"), (Ints{2, 0, 3, 1}));
        QCOMPARE(floats(build(a, "dense"), "val"),
                 (Floats{1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 4, 5, 6, 0, 0, 0, 0}));
        const auto csr5 = build(a, "csr5", {{"sigma", 2}});
        QCOMPARE(ints(csr5, "row_ids"), (Ints{0, 2, 3}));
        QCOMPARE(arrayOf<std::uint32_t>(csr5, "flag")[0], 1u); // Entries 0 1: row 0 starts at 0.
        QCOMPARE(arrayOf<std::uint32_t>(csr5, "flag")[1], 1u); // Entries 2 3: row 2 starts at 2.
        QCOMPARE(arrayOf<std::uint32_t>(csr5, "flag")[2], 2u); // Entries 4 5: row 3 starts at 5.
        QCOMPARE(ints(csr5, "y_off")[2], 2);
        QCOMPARE(ints(csr5, "tile_row"), (Ints{0, 3}));
        const std::vector<std::int32_t> part{0, 3};
        const auto partEll = build(a, "ell", {}, part);
        QCOMPARE(floats(partEll, "val"), (Floats{1, 6, 2, 0}));
        const auto partCsr = build(a, "csr", {}, part);
        QCOMPARE(ints(partCsr, "row_ptr"), (Ints{0, 2, 3}));
        const auto partCoo = build(a, "coo", {}, part);
        QCOMPARE(ints(partCoo, "row"), (Ints{0, 0, 3}));
    }

    void decoded_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("cols");
        QTest::addColumn<double>("density");
        QTest::newRow("square") << 40 << 40 << 0.1;
        QTest::newRow("wide") << 9 << 77 << 0.3;
        QTest::newRow("tall") << 101 << 5 << 0.3;
        QTest::newRow("one row") << 1 << 50 << 0.9;
        QTest::newRow("one column") << 50 << 1 << 0.5;
        QTest::newRow("no entries") << 10 << 10 << 0.0;
        QTest::newRow("full") << 33 << 34 << 1.0;
        QTest::newRow("no rows") << 0 << 10 << 0.0;
        QTest::newRow("no columns") << 10 << 0 << 0.0;
    }
    void decoded()
    {
        QFETCH(int, rows);
        QFETCH(int, cols);
        QFETCH(double, density);
        const Csr a = ragged(static_cast<std::uint64_t>(rows) + 1, rows, cols, density);
        QVERIFY(a.valid());
        decodeAll(a, {});
        const std::vector<std::int32_t> none;
        decodeAll(a, none);
        std::vector<std::int32_t> some;
        for (int r = 0; r < rows; r += 3) {
            some.push_back(r);
        }
        decodeAll(a, some);

        // Whole-matrix formats.
        const Dense expected = toDense(a);
        const auto dia = build(a, "dia");
        Dense got(rows, Floats(cols, 0));
        const auto offset = ints(dia, "offset");
        QVERIFY(std::is_sorted(offset.begin(), offset.end()));
        for (std::size_t d = 0; d < offset.size(); ++d) {
            for (int r = 0; r < rows; ++r) {
                const float value = floats(dia, "val")[d * rows + r];
                if (value != 0) {
                    put(got, r, r + offset[d], value);
                }
            }
        }
        QVERIFY(got == expected);
        for (const int b : {1, 2, 5, 64}) {
            const auto bsr = build(a, "bsr", {{"block", b}});
            const auto ptr = ints(bsr, "row_ptr");
            QCOMPARE(bsr.counts.at("blocks"), std::int64_t(ptr.back()));
            got.assign(rows, Floats(cols, 0));
            for (std::int64_t r = 0; r < bsr.counts.at("block_rows"); ++r) {
                for (int i = ptr[r]; i < ptr[r + 1]; ++i) {
                    bool any = false;
                    for (int e = 0; e < b * b; ++e) {
                        const float value = floats(bsr, "val")[std::size_t(i) * b * b + e];
                        put(got, r * b + e / b, ints(bsr, "col")[i] * std::int64_t(b) + e % b, value);
                        any = any || value != 0;
                    }
                    QVERIFY(any);
                }
            }
            QVERIFY(got == expected);
        }
        for (const int height : {1, 16}) {
            const auto windows = build(a, "windows", {{"rows", height}});
            const auto ptr = ints(windows, "window_ptr");
            for (std::int64_t w = 0; w < windows.counts.at("count"); ++w) {
                std::set<int> distinct;
                for (std::int64_t r = w * height; r < std::min<std::int64_t>(rows, (w + 1) * height); ++r) {
                    distinct.insert(a.col.begin() + a.rowPtr[r], a.col.begin() + a.rowPtr[r + 1]);
                }
                const auto col = ints(windows, "col");
                QCOMPARE(Ints(col.begin() + ptr[w], col.begin() + ptr[w + 1]),
                         Ints(distinct.begin(), distinct.end()));
            }
        }
    }

    void refusalsNameTheRule()
    {
        const auto refused = [](const Csr& a, FormatSpec spec, std::int64_t limit, const char* rule,
                                std::optional<std::span<const std::int32_t>> part = {}) {
            const auto data = buildFormat(a, spec, part, limit);
            return !data && data.error().what.find(rule) != std::string::npos;
        };
        const Csr a = small();
        QVERIFY(refused(a, {"ell", {}}, 95, "byte limit"));
        QVERIFY(buildFormat(a, {"ell", {}}, {}, 96).has_value()); // 3 * 4 * 8 bytes
        QVERIFY(refused(a, {"dense", {}}, 79, "byte limit"));
        QVERIFY(buildFormat(a, {"dense", {}}, {}, 80).has_value());
        // Sizes that overflow any integer are refused before anything is allocated.
        const std::int64_t most = 2147483647;
        QVERIFY(refused(a, {"sell", {{"slice", most}, {"sigma", most}}}, 1 << 20, "byte limit"));
        QVERIFY(refused(a, {"bsr", {{"block", most}}}, 1 << 20, "byte limit"));
        QVERIFY(refused(a, {"hyb", {{"width", most}}}, 1 << 20, "byte limit"));
        Csr wide;
        wide.rows = 2;
        wide.cols = 1 << 20;
        wide.rowPtr = {0, 2, 3};
        wide.col = {0, 65536, 9};
        wide.val = {1, 2, 3};
        QVERIFY(refused(wide, {"csr16", {}}, unlimited, "16-bit span"));
        QVERIFY(refused(wide, {"sell16", {{"slice", 32}, {"sigma", 1}}}, unlimited, "16-bit span"));
        wide.col[1] = 65535;
        QVERIFY(buildFormat(wide, {"csr16", {}}, {}, unlimited).has_value());
        Csr diagonals;
        diagonals.rows = 1;
        diagonals.cols = 513;
        for (int c = 0; c < 513; ++c) {
            diagonals.col.push_back(c);
            diagonals.val.push_back(1);
        }
        diagonals.rowPtr = {0, 513};
        QVERIFY(refused(diagonals, {"dia", {}}, unlimited, "too many diagonals"));
        diagonals.col.pop_back();
        diagonals.val.pop_back();
        diagonals.rowPtr = {0, 512};
        QVERIFY(buildFormat(diagonals, {"dia", {}}, {}, unlimited).has_value());
        const std::vector<std::int32_t> part{0};
        QVERIFY(refused(a, {"dia", {}}, unlimited, "never of a part", part));
    }
};

QTEST_GUILESS_MAIN(TestFormats)
#include "tst_formats.moc"
