// SPDX-License-Identifier: Apache-2.0
#include "search/grid_proposer.h"

#include "corpus/parameter_grid.h"

#include <algorithm>
#include <utility>

namespace sparserl {

namespace {

class GridProposer : public Proposer
{
public:
    GridProposer(std::vector<Candidate> grid, ElementType type)
        : m_grid(std::move(grid))
        , m_type(type)
    {
    }
    std::string_view name() const override { return "grid"; }
    bool exhausted() const override { return m_next >= m_grid.size(); }
    std::size_t position() const override { return m_next; }
    void goOnAt(std::size_t position) override { m_next = position; }
    std::optional<Proposal> propose(const Archive& /*archive*/, Rng& /*rng*/) override
    {
        while (!exhausted()) {
            const Candidate& candidate = m_grid[m_next++];
            auto program = derive(candidate.family, candidate.parameters, {}, true, m_type);
            if (!program)
                continue; // The grid has it, the grammar does not: for another element type, say.
            return Proposal{std::move(program->text),
                            candidate.family + " " + parametersJson(candidate.parameters),
                            {},
                            {}};
        }
        return std::nullopt;
    }

private:
    std::vector<Candidate> m_grid;
    ElementType m_type;
    std::size_t m_next = 0;
};

} // namespace

std::unique_ptr<Proposer> makeGridProposer(const MatrixFeatures& features, const TargetVariant& variant,
                                           const DeviceModel& model, const std::vector<std::string>& families)
{
    auto grid = parameterGrid(variant.task(), features, model, variant.columns, variant.type);
    if (!families.empty())
        std::erase_if(grid, [&](const Candidate& one) {
            return std::find(families.begin(), families.end(), one.family) == families.end();
        });
    return std::make_unique<GridProposer>(std::move(grid), variant.type);
}

} // namespace sparserl
