// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/corpus.h"
#include "corpus/names.h"

#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// The productions of kernel families, kernel := plan entry { mapping work reduce write } (docs/kernels.md
/// 5). Each call appends text in the program's style. A family is a short sequence of calls, so new families
/// can combine the same productions.
class Grammar
{
public:
    Grammar(const FamilyParameters& parameters, const Style& style, Task task = Task::SpMV,
            ElementType type = ElementType::F32);

    // Terminals.
    std::int64_t parameter(std::string_view name) const { return m_parameters.find(name)->second; }
    /// Returns the identifier of a role, such as "row_ptr". The role "kernel" has separate names in SpMM.
    const std::string& name(std::string_view role);
    const Style& style() const { return m_style; }
    ElementType type() const { return m_type; }

    // Plan.
    /// Declares a `//! const` and returns its name. With literal parameters, declares nothing and returns the
    /// number as text. Use the result wherever the constant occurs.
    std::string constant(const std::string& constName, std::int64_t value);
    /// Like constant(), for a constant that several parts of a program request with the same value.
    std::string constantOnce(const std::string& constName, std::int64_t value);
    void format(const std::string& text) { m_formats.push_back(text); }
    /// Adds "NAME = rows with length in [1, 9)" to the plan.
    void part(const std::string& text) { m_parts.push_back(text); }
    /// Adds a line such as "scratch carry f32[rows]", "zero y" or "require dense_cols % 4 == 0".
    void buffer(const std::string& text) { m_buffers.push_back(text); }
    /// Adds a parameter of the kernel: its C++ type ("const int*"), its role and the argument in the plan.
    void argument(const std::string& type, std::string_view role, const std::string& planned);
    /// Adds the arrays col and val of a format, then the arguments of vectorArguments().
    void matrixArguments(const std::string& formatName);
    void vectorArguments(); ///< Adds x and y; in SpMM, B, C and the number of their columns.
    /// Makes B and C arrays of vectors with `size` columns each. Columns are then counted in vectors.
    void useVectors(std::int64_t size) { m_vectorSize = size; }

    // Code.
    /// Writes the plan's launch line and the head of a kernel with the arguments given so far. Everything
    /// after this call is the kernel's body. Another call ends this kernel and starts the next one, which is
    /// launched after it. The next kernel must take its name from another `role`. Its arguments are those
    /// added after this call. `bounded` gives the kernel launch bounds in every style; use it for kernels
    /// that would use too many registers for their block.
    void entry(const std::string& grid, const std::string& block, const std::vector<std::string>& comments,
               std::string_view role = "kernel", bool bounded = false);
    /// Like entry(), for a kernel that the plan runs once, before the first call.
    void prepare(const std::string& grid, const std::string& block, std::string_view role);
    /// Starts a device function before the next kernel. `head` does not contain the brace. Write the body
    /// after this call.
    void function(const std::string& head);
    void line(const std::string& text);
    void open(const std::string& text); ///< Writes a line that ends in '{' and increases the indentation.
    void close();
    void remark(const std::string& text); ///< Writes a comment in the body if the style has them.

    // Mapping.
    std::string quotient(const std::string& value, const std::string& by, std::int64_t number) const;
    std::string remainder(const std::string& value, const std::string& by, std::int64_t number) const;
    /// Excludes threads without work, by an early return or by a block that endGuard() closes.
    void guard(const std::string& index, const std::string& bound);
    void endGuard();

    // Work: dotLoop() writes the sum of val[i] * x[col[i]] for i = begin, begin + step, ... while i < end.
    struct Loop
    {
        std::string begin, end;
        std::string step = "1";
        std::int64_t unroll = 0; ///< 0: the compiler decides.
        std::int64_t accumulators = 1;
    };
    void dotLoop(const Loop& loop);
    /// Adds one term to `sum`.
    std::string term(const std::string& sum, const std::string& a, const std::string& b) const;
    std::string loadX(const std::string& index) const;
    void unroll(std::int64_t times);

    // Reduce: writes the sum over lanes whose numbers differ by offsets from `first` down to `last`.
    void reduceLanes(const std::string& first, const std::string& last, const std::string& width = {});

    /// Returns the whole program.
    std::string text() const;
    /// Returns only the code, as plain CUDA source in which the plan's constants are variables.
    std::string codeText() const;

private:
    struct Argument
    {
        std::string type, name, planned;
    };
    void startKernel(const std::string& call, const std::string& grid, const std::string& block,
                     const std::string& comment, std::string_view role, bool bounded);
    void finish();
    std::string entryTerm(const std::string& sum, const std::string& index);

    std::map<std::string, std::int64_t, std::less<>> m_parameters;
    Style m_style;
    Names m_names;
    Task m_task;
    ElementType m_type; ///< The type of text(). Families always write float32.
    std::int64_t m_vectorSize = 1;
    std::vector<std::string> m_consts, m_parts, m_formats, m_buffers, m_calls;
    std::vector<Argument> m_arguments;
    std::string m_finished, m_body; ///< The kernels before the current kernel, and the current kernel.
    int m_depth = 1;
    bool m_guardOpen = false;
};

} // namespace sparserl
