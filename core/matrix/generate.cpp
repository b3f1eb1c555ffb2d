// SPDX-License-Identifier: Apache-2.0
#include "matrix/generate.h"

#include "base/format.h"
#include "base/trimmed.h"
#include "matrix/generators.h"

#include <algorithm>
#include <fmt/format.h>
#include <new>

namespace sparserl {

namespace {

std::string_view withoutBlanks(std::string_view text)
{
    return trimmed(text, " \t\r\n");
}

using Spec = ParameterSpec;

ParameterSpec seedParameter()
{
    return Spec::integer("seed", 1).atLeast(0).help("Same seed, same matrix.");
}

ParameterSpec sizeParameter(const char* key, std::int64_t value, const char* help)
{
    return Spec::integer(key, value).range(1, 100'000'000).help(help);
}

std::vector<GeneratorKind> makeKinds()
{
    std::vector<GeneratorKind> kinds;
    kinds.push_back(
        {"stencil2d",
         "Finite differences on a grid of n x m points.",
         {sizeParameter("n", 64, "Points along the first side."),
          Spec::integer("m", 0).range(0, 100'000'000).help("Points along the second side; 0: as n."),
          Spec::choice("points", "5", {"5", "9", "13"}).help("Points of the stencil."), seedParameter()}});
    kinds.push_back(
        {"stencil3d",
         "Finite differences on a cube of n x n x n points.",
         {Spec::integer("n", 16).range(1, 1000).help("Points along a side."),
          Spec::choice("points", "7", {"7", "19", "27"}).help("Points of the stencil."), seedParameter()}});
    kinds.push_back(
        {"banded",
         "Entries at random places of a band around the diagonal, which is full.",
         {sizeParameter("n", 4096, "Rows and columns."), sizeParameter("band", 16, "Half width of the band."),
          Spec::real("fill", 0.5).range(0, 1).help("Share of the band's places in use."), seedParameter()}});
    kinds.push_back(
        {"wideband",
         "A full diagonal and a few entries per row at random places of a wide band around it.",
         {sizeParameter("n", 4096, "Rows and columns."),
          sizeParameter("band", 400, "Half width of the band."),
          Spec::real("mean", 8).atLeast(0).help("Entries per row besides the diagonal."), seedParameter()}});
    kinds.push_back({"diagonals",
                     "A few diagonals at random distances from the main one, which is full.",
                     {sizeParameter("n", 4096, "Rows and columns."),
                      Spec::integer("count", 5).range(1, 512).help("Diagonals, the main one included."),
                      Spec::integer("spread", 1000).range(0, 100'000'000).help("Furthest diagonal."),
                      Spec::real("fill", 1).range(0, 1).help("Share of the other diagonals' places in use."),
                      seedParameter()}});
    kinds.push_back(
        {"blockfem",
         "Finite elements on a 2-D mesh of triangles with dense blocks of unknowns per node.",
         {sizeParameter("nodes", 1024, "Nodes of the mesh, rounded up to a full rectangle."),
          Spec::integer("block", 3).range(1, 16).help("Unknowns per node."),
          Spec::real("scramble", 0).range(0, 1).help("Share of the nodes that are renumbered at random."),
          seedParameter()}});
    kinds.push_back({"rmat",
                     "A power-law graph by recursive subdivision (Chakrabarti, Zhan and Faloutsos 2004).",
                     {Spec::integer("scale", 12).range(1, 26).help("2^scale rows and columns."),
                      Spec::real("degree", 8).above(0).help("Edges drawn per row; repeated ones count once."),
                      Spec::real("a", 0.57).range(0, 1).help("Probability of the upper left quarter."),
                      Spec::real("b", 0.19).range(0, 1).help("Probability of the upper right quarter."),
                      Spec::real("c", 0.19).range(0, 1).help("Probability of the lower left quarter."),
                      seedParameter()}});
    kinds.push_back({"lp",
                     "Constraints of a linear program: short rows and few very long ones.",
                     {sizeParameter("rows", 4096, "Rows."), sizeParameter("cols", 8192, "Columns."),
                      Spec::real("mean", 6).above(0).help("Mean length of the short rows."),
                      Spec::integer("long", 4).atLeast(0).help("Number of long rows."),
                      Spec::real("longfill", 0.5).range(0, 1).help("Share of the columns in a long row."),
                      seedParameter()}});
    kinds.push_back({"pruned",
                     "A weight matrix of a network after pruning: uniform sparsity, rows that vary a little.",
                     {sizeParameter("rows", 512, "Rows."), sizeParameter("cols", 512, "Columns."),
                      Spec::real("sparsity", 0.9).range(0, 1).help("Share of the weights that are gone."),
                      Spec::real("spread", 0.2).range(0, 1).help("Relative spread of the rows' densities."),
                      seedParameter()}});
    kinds.push_back(
        {"random",
         "Entries at uniformly random places.",
         {sizeParameter("rows", 4096, "Rows."), sizeParameter("cols", 4096, "Columns."),
          Spec::real("mean", 8).atLeast(0).help("Entries per row drawn; repeated ones count once."),
          seedParameter()}});
    return kinds;
}

} // namespace

const std::vector<GeneratorKind>& generatorKinds()
{
    static const std::vector<GeneratorKind> kinds = makeKinds();
    return kinds;
}

bool hasGeneratorForm(std::string_view word)
{
    const auto open = word.find('(');
    return open != std::string_view::npos && open > 0 && word.ends_with(')') &&
           word.find('/') == std::string_view::npos;
}

bool isGeneratorKind(std::string_view name)
{
    const auto& kinds = generatorKinds();
    return std::any_of(kinds.begin(), kinds.end(),
                       [&](const GeneratorKind& kind) { return kind.name == withoutBlanks(name); });
}

std::string GeneratorSpec::text() const
{
    std::string inside;
    for (const auto& spec : parameters.declarations().specs()) {
        if (!parameters.isDefault(spec.key)) {
            inside += fmt::format("{}{}={}", inside.empty() ? "" : ",", spec.key,
                                  toText(parameters.value(spec.key)));
        }
    }
    return fmt::format("{}({})", kind, inside);
}

Result<GeneratorSpec> parseGenerator(std::string_view text)
{
    const std::string_view whole = withoutBlanks(text);
    const std::size_t open = whole.find('(');
    const std::string name(withoutBlanks(whole.substr(0, open)));
    const GeneratorKind* kind = nullptr;
    std::vector<std::string> names;
    for (const auto& candidate : generatorKinds()) {
        names.push_back(candidate.name);
        if (candidate.name == name) {
            kind = &candidate;
        }
    }
    if (!kind) {
        const std::string near = nearestWord(name, names);
        return fail(fmt::format("there is no matrix generator \"{}\"", name),
                    near.empty()
                        ? fmt::format("Generators are {}", fmt::join(names, ", "))
                        : fmt::format("Did you mean {}? Generators are {}", near, fmt::join(names, ", ")));
    }
    GeneratorSpec out{name, ParameterSet(kind->parameters), 0};
    if (open == std::string_view::npos) {
        return out;
    }
    if (whole.back() != ')') {
        return fail(fmt::format("generator \"{}\": the closing parenthesis is missing", whole));
    }
    std::string_view inside = withoutBlanks(whole.substr(open + 1, whole.size() - open - 2));
    while (!inside.empty()) {
        const std::size_t comma = inside.find(',');
        if (auto set = out.parameters.setAssignment(withoutBlanks(inside.substr(0, comma))); !set) {
            Error error = set.error();
            error.what = "generator " + name + ": " + error.what;
            const std::string key(withoutBlanks(inside.substr(0, std::min(inside.find('='), comma))));
            if (!out.parameters.has(key)) {
                error.remedy = "It takes";
                for (const ParameterSpec& spec : out.parameters.declarations().specs())
                    error.remedy += (error.remedy.ends_with("takes") ? " " : ", ") + spec.key;
            }
            return fail(std::move(error));
        }
        inside =
            comma == std::string_view::npos ? std::string_view() : withoutBlanks(inside.substr(comma + 1));
    }
    return out;
}

Result<Csr> generate(const GeneratorSpec& spec)
{
    try {
        return generators::build(spec);
    } catch (const std::bad_alloc&) {
        return fail(fmt::format("{}: there is not enough memory for this matrix", spec.text()));
    }
}

Result<Csr> generate(std::string_view text, std::int64_t memory)
{
    SPARSERL_TRY(auto spec, parseGenerator(text));
    spec.memory = memory;
    return generate(spec);
}

} // namespace sparserl
