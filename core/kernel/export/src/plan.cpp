// SPDX-License-Identifier: Apache-2.0
#include "plan.h"

#include "status.h"

namespace sparserl_bundle {

namespace {

[[noreturn]] void refuse(const std::string& reason)
{
    throw Failure(Status::not_applicable, "this kernel does not apply to this matrix: " + reason);
}

/// Reads a plan from front to back, once.
class Binder
{
public:
    Binder(const std::int64_t* words, std::size_t size, const Csr& a, std::int64_t dense_cols,
           std::int64_t sm_count)
        : m_word(words)
        , m_end(words + size)
        , m_matrix(a)
        , m_csr(arrays_of(a))
        , m_limit(8 * (4 * (std::int64_t(a.rows) + 1) + (4 + value_bytes) * a.nnz()) +
                  (std::int64_t(64) << 20))
    {
        m_scalars = {a.rows,   a.cols,    a.nnz(), a.max_length(), a.rows > 0 ? a.nnz() / a.rows : 0,
                     sm_count, dense_cols};
        m_result.input_bytes =
            static_cast<std::size_t>(a.cols) * static_cast<std::size_t>(dense_cols) * sizeof(real);
        m_result.output_bytes =
            static_cast<std::size_t>(a.rows) * static_cast<std::size_t>(dense_cols) * sizeof(real);
    }

    BoundPlan run()
    {
        for (std::int64_t n = next(); n > 0; --n)
            m_constants.push_back(value());
        for (std::int64_t n = next(); n > 0; --n) {
            const std::int64_t low = next(), high = next();
            m_part_rows.push_back(std::make_shared<const Part>(build_part(m_matrix, low, high)));
            m_parts.push_back(charged(arrays_of(m_part_rows.back())));
        }
        for (std::int64_t n = next(); n > 0; --n)
            read_format();
        for (std::int64_t n = next(); n > 0; --n)
            read_requirement();
        for (std::int64_t n = next(); n > 0; --n)
            read_buffer();
        m_result.zero_output = next() != 0;
        for (std::int64_t n = next(); n > 0; --n)
            read_call();
        return std::move(m_result);
    }

private:
    std::int64_t next()
    {
        if (m_word == m_end)
            throw Failure(Status::not_applicable, "the bundle is damaged: its plan ends early");
        return *m_word++;
    }

    std::int64_t pop()
    {
        if (m_stack.empty())
            throw Failure(Status::not_applicable, "the bundle is damaged: its plan has a broken expression");
        const std::int64_t top = m_stack.back();
        m_stack.pop_back();
        return top;
    }

    /// An expression in postfix order.
    std::int64_t signed_value()
    {
        m_stack.clear();
        for (std::int64_t n = next(); n > 0; --n)
            step(next());
        return pop();
    }

    /// The same; its value is not negative.
    std::int64_t value()
    {
        const std::int64_t result = signed_value();
        if (result < 0)
            refuse("an expression of its plan is negative (" + std::to_string(result) + ")");
        return result;
    }

    void step(std::int64_t op)
    {
        switch (op) {
        case code::literal:
            return m_stack.push_back(next());
        case code::scalar:
            return m_stack.push_back(m_scalars.at(static_cast<std::size_t>(next())));
        case code::constant:
            return m_stack.push_back(m_constants.at(static_cast<std::size_t>(next())));
        case code::count:
        case code::part_count: {
            const auto& owner =
                (op == code::count ? m_formats : m_parts).at(static_cast<std::size_t>(next()));
            return m_stack.push_back(owner.counts.at(static_cast<std::size_t>(next())));
        }
        case code::neg:
            m_stack.push_back(combine(code::sub, 0, pop()));
            return;
        case code::pow2_ceil: {
            const std::int64_t a = pop();
            std::int64_t power = 1;
            while (power < a)
                power = combine(code::mul, power, 2);
            if (a < 0)
                refuse("pow2_ceil of a negative number");
            return m_stack.push_back(power);
        }
        default: {
            const std::int64_t right = pop(), left = pop();
            m_stack.push_back(combine(op, left, right));
        }
        }
    }

    /// 64-bit and checked, as plans are evaluated when a program is judged.
    static std::int64_t combine(std::int64_t op, std::int64_t a, std::int64_t b)
    {
        std::int64_t result = 0;
        bool overflow = false;
        switch (op) {
        case code::add:
            overflow = __builtin_add_overflow(a, b, &result);
            break;
        case code::sub:
            overflow = __builtin_sub_overflow(a, b, &result);
            break;
        case code::mul:
            overflow = __builtin_mul_overflow(a, b, &result);
            break;
        case code::div:
        case code::mod:
        case code::ceil_div:
            if (b == 0)
                refuse("its plan divides by zero");
            overflow = a == INT64_MIN && b == -1;
            if (overflow)
                break;
            result = op == code::mod ? a % b : a / b;
            if (op == code::ceil_div && a % b != 0 && (a < 0) == (b < 0))
                ++result;
            break;
        case code::min:
            return std::min(a, b);
        case code::max:
            return std::max(a, b);
        default:
            throw Failure(Status::not_applicable, "the bundle is damaged: its plan has an unknown operation");
        }
        if (overflow)
            refuse("an expression of its plan leaves the range of 64-bit integers");
        return result;
    }

    void charge(std::int64_t count, std::int64_t bytes_each)
    {
        try {
            check_size(count, bytes_each, 1, m_limit - m_charged);
        } catch (const std::runtime_error&) {
            refuse("its formats and buffers would take more than " + std::to_string(m_limit) +
                   " bytes (8 times the CSR arrays and 64 MiB)");
        }
        m_charged += count * bytes_each;
    }

    Built charged(Built built)
    {
        for (const HostArray& array : built.arrays)
            charge(static_cast<std::int64_t>(array.bytes), 1);
        return built;
    }

    void read_format()
    {
        const auto kind = static_cast<Kind>(next());
        const std::int64_t part = next();
        std::vector<std::int64_t> parameters;
        for (std::int64_t n = next(); n > 0; --n)
            parameters.push_back(next());
        m_formats.push_back(charged(build_format(
            kind, parameters, m_matrix,
            part < 0 ? nullptr : m_part_rows.at(static_cast<std::size_t>(part)).get(), m_limit)));
    }

    void read_requirement()
    {
        const std::int64_t left = signed_value(), comparison = next(), right = signed_value();
        const bool holds = comparison == code::equal           ? left == right
                           : comparison == code::not_equal     ? left != right
                           : comparison == code::less          ? left < right
                           : comparison == code::less_or_equal ? left <= right
                           : comparison == code::greater       ? left > right
                                                               : left >= right;
        if (!holds)
            refuse("a requirement of its plan does not hold");
    }

    void read_buffer()
    {
        const std::int64_t bytes_each = next();
        const bool zero = next() != 0;
        const std::int64_t count = value();
        charge(count, bytes_each);
        m_planned.push_back({{}, static_cast<std::size_t>(count * bytes_each), zero});
    }

    /// The index of a buffer on the device, made at its first use.
    std::int64_t device_buffer(std::int64_t kind, std::int64_t owner, std::int64_t index)
    {
        for (std::size_t i = 0; i < m_used.size(); ++i) {
            if (m_used[i] == std::array<std::int64_t, 3>{kind, owner, index})
                return static_cast<std::int64_t>(i);
        }
        m_used.push_back({kind, owner, index});
        if (kind == code::buffer) {
            m_result.buffers.push_back(m_planned.at(static_cast<std::size_t>(index)));
        } else {
            const Built& built = kind == code::csr_array    ? m_csr
                                 : kind == code::part_array ? m_parts.at(static_cast<std::size_t>(owner))
                                                            : m_formats.at(static_cast<std::size_t>(owner));
            const HostArray& array = built.arrays.at(static_cast<std::size_t>(index));
            m_result.buffers.push_back({array, array.bytes, false});
        }
        return static_cast<std::int64_t>(m_used.size()) - 1;
    }

    Argument read_argument()
    {
        const std::int64_t kind = next();
        if (kind == code::input)
            return {Argument::input, 0};
        if (kind == code::output)
            return {Argument::output, 0};
        if (kind == code::alpha) {
            m_result.takes_alpha = true;
            return {Argument::alpha, 0};
        }
        if (kind == code::beta) {
            m_result.takes_beta = true;
            return {Argument::beta, 0};
        }
        if (kind == code::number) {
            const std::int64_t bytes = next(), number = value();
            if (bytes < 8 && number > std::int64_t(0xffffffff))
                refuse("an argument of its plan does not fit into 32 bits");
            return {Argument::number, number};
        }
        const std::int64_t owner = next(), index = next();
        return {Argument::buffer, device_buffer(kind, owner, index)};
    }

    std::array<std::int64_t, 3> read_extents()
    {
        std::array<std::int64_t, 3> extents{1, 1, 1};
        const std::int64_t n = next();
        for (std::int64_t i = 0; i < n; ++i)
            extents.at(static_cast<std::size_t>(i)) = value();
        return extents;
    }

    void read_call()
    {
        Call call;
        const bool prepare = next() != 0;
        call.kernel = static_cast<std::size_t>(next());
        const auto grid = read_extents(), block = read_extents();
        const std::int64_t shared = value();
        for (std::int64_t n = next(); n > 0; --n)
            call.arguments.push_back(read_argument());
        for (std::size_t i = 0; i < 3; ++i) {
            if (block[i] == 0)
                refuse("a launch of its plan has blocks without threads");
            if (grid[i] > 0x7fffffff || block[i] > 1024)
                refuse("a launch of its plan is larger than a GPU allows");
            call.grid[i] = static_cast<unsigned>(grid[i]);
            call.block[i] = static_cast<unsigned>(block[i]);
        }
        if (shared > 0x7fffffff)
            refuse("a launch of its plan asks for more shared memory than a GPU has");
        call.shared = static_cast<unsigned>(shared);
        if (grid[0] != 0 && grid[1] != 0 && grid[2] != 0)
            (prepare ? m_result.prepares : m_result.launches).push_back(std::move(call));
    }

    const std::int64_t* m_word;
    const std::int64_t* m_end;
    const Csr& m_matrix;
    Built m_csr;
    std::int64_t m_limit, m_charged = 0;
    std::array<std::int64_t, code::scalars> m_scalars{};
    std::vector<std::int64_t> m_constants, m_stack;
    std::vector<std::shared_ptr<const Part>> m_part_rows;
    std::vector<Built> m_parts, m_formats;
    std::vector<Buffer> m_planned; ///< Scratch and prepared ones, as the plan lists them.
    std::vector<std::array<std::int64_t, 3>>
        m_used; ///< What each buffer of the result is: kind, owner, index.
    BoundPlan m_result;
};

} // namespace

BoundPlan bind_plan(const std::int64_t* words, std::size_t size, const Csr& a, std::int64_t dense_cols,
                    std::int64_t sm_count)
{
    return Binder(words, size, a, dense_cols, sm_count).run();
}

std::uint64_t pattern_checksum(const Csr& a)
{
    std::uint64_t hash = 14695981039346656037ull;
    const auto add = [&](const void* data, std::size_t bytes) {
        const auto* p = static_cast<const unsigned char*>(data);
        for (std::size_t i = 0; i < bytes; ++i)
            hash = (hash ^ p[i]) * 1099511628211ull;
    };
    add(a.row_ptr, 4 * (static_cast<std::size_t>(a.rows) + 1));
    add(a.col, 4 * static_cast<std::size_t>(a.nnz()));
    return hash;
}

} // namespace sparserl_bundle
