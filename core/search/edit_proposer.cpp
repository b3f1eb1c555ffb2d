// SPDX-License-Identifier: Apache-2.0
#include "search/edit_proposer.h"

#include "search/bandit.h"
#include "search/edits.h"

#include <algorithm>
#include <utility>

namespace sparserl {

namespace {

constexpr double another = 0.35; ///< How likely an edit is followed by one more.
constexpr std::size_t mostSteps = 3;
constexpr int mostDraws = 40; ///< Kinds and parents that do not go together are drawn again.

class EditProposer : public Proposer
{
public:
    EditProposer()
        : m_bandit(std::vector<double>(editKinds().size(), 1.0 / static_cast<double>(editKinds().size())),
                   Bandit::Settings{})
    {
        for (const EditKind& kind : editKinds())
            m_parts.push_back({std::string(kind.name)});
    }
    std::string_view name() const override { return "edits"; }

    std::optional<Proposal> propose(const Archive& archive, Rng& rng) override
    {
        const SearchedProgram* parent = archive.chooseParent(rng);
        if (!parent)
            return std::nullopt;
        Proposal proposal;
        proposal.text = parent->text;
        proposal.parents.push_back(parent->number);
        std::size_t wanted = 1;
        while (wanted < mostSteps && rng.chance(another))
            ++wanted;
        for (int draw = 0; draw < mostDraws && proposal.steps.size() < wanted; ++draw)
            step(archive, *parent, proposal, rng);
        if (proposal.steps.empty() || proposal.text == parent->text)
            return std::nullopt;
        return proposal;
    }

    void learn(const SearchedProgram& program, double reward) override
    {
        for (const EditStep& step : program.steps) {
            const EditKind* kind = findEditKind(step.kind);
            if (!kind)
                continue;
            const auto arm = static_cast<std::size_t>(kind - editKinds().data());
            // Several edits share what they did together.
            const double share = 1 / static_cast<double>(program.steps.size());
            m_bandit.credit(arm, reward * share);
            m_parts[arm].count(program, share);
        }
    }

    std::vector<ProposalCounts> parts() const override
    {
        auto parts = m_parts;
        for (std::size_t i = 0; i < parts.size(); ++i)
            parts[i].share = m_bandit.share(i);
        return parts;
    }

private:
    void step(const Archive& archive, const SearchedProgram& parent, Proposal& proposal, Rng& rng) const
    {
        const EditKind& kind = editKinds()[m_bandit.draw(rng)];
        const auto view = ProgramView::of(proposal.text);
        if (!view)
            return;
        std::optional<ProgramView> other;
        const SearchedProgram* mate = kind.exchanges ? archive.chooseMate(parent, rng) : nullptr;
        if (mate)
            other = ProgramView::of(mate->text);
        auto edited = kind.apply({*view, other ? &*other : nullptr, rng});
        if (!edited || edited->text == proposal.text)
            return;
        proposal.text = std::move(edited->text);
        proposal.steps.push_back({std::string(kind.name), std::move(edited->words)});
        if (mate && std::find(proposal.parents.begin(), proposal.parents.end(), mate->number) ==
                        proposal.parents.end())
            proposal.parents.push_back(mate->number);
    }

    Bandit m_bandit;
    std::vector<ProposalCounts> m_parts;
};

} // namespace

std::unique_ptr<Proposer> makeEditProposer()
{
    return std::make_unique<EditProposer>();
}

} // namespace sparserl
