// SPDX-License-Identifier: Apache-2.0
#include "training/sampling/policy_proposer.h"

#include "base/hash.h"
#include "base/rng.h"
#include "training/sampling/repeatable.h"

#include <deque>
#include <fmt/format.h>
#include <utility>

namespace sparserl {

namespace {

/// Programs that are written at a time: they are decoded side by side, which costs little more than one.
constexpr std::size_t batch = 16;

/// Programs of a policy, batch by batch.
class PolicyProposer : public Proposer
{
public:
    PolicyProposer(std::shared_ptr<const ProgramWriter> writer, Target target,
                   std::vector<double> temperatures, CancelToken cancel, PolicyEvents events, bool refines)
        : m_writer(std::move(writer))
        , m_target(std::move(target))
        , m_temperatures(std::move(temperatures))
        , m_cancel(std::move(cancel))
        , m_events(std::move(events))
        , m_refines(refines)
    {
        if (m_temperatures.empty())
            m_temperatures.push_back(m_writer->temperature());
        for (const double temperature : m_temperatures)
            m_parts.push_back({wordsOf(temperature)});
    }
    std::string_view name() const override { return m_refines ? "refine" : "policy"; }
    std::optional<Proposal> propose(const Archive& archive, Rng& rng) override;
    void learn(const SearchedProgram& program, double reward) override;
    std::size_t position() const override { return m_next; }
    void goOnAt(std::size_t position) override
    {
        m_next = position;
        m_written.clear();
    }
    std::vector<ProposalCounts> parts() const override { return m_parts; }

private:
    static std::string wordsOf(double temperature) { return fmt::format("T={:g}", temperature); }
    double temperatureOf(std::size_t number) const
    {
        return m_temperatures[number / batch % m_temperatures.size()];
    }
    const SearchedProgram* choose(const Archive& archive) const;
    void write(const SearchedProgram* from);

    std::shared_ptr<const ProgramWriter> m_writer;
    Target m_target;
    std::vector<double> m_temperatures;
    CancelToken m_cancel;
    PolicyEvents m_events;
    bool m_failed = false; ///< It is not asked again.
    bool m_refines = false;
    std::size_t m_next = 0;                 ///< Number of the next program,
    std::deque<GeneratedProgram> m_written; ///< which is the first of these.
    std::size_t m_shown = 0;                ///< Number of the program that they improve on,
    std::size_t m_archived = 0;             ///< chosen from an archive of so many.
    std::vector<ProposalCounts> m_parts;    ///< By temperature.
};

/// What a batch improves on: the best program, every other time one drawn as a parent of edits is.
const SearchedProgram* PolicyProposer::choose(const Archive& archive) const
{
    const std::size_t number = m_next / batch;
    Rng rng(seedFrom(fmt::format("refine {} {}", number, m_target.id.key())));
    return number % 2 == 0 ? archive.best() : archive.chooseParent(rng);
}

/// The rest of the batch that the next program is of.
void PolicyProposer::write(const SearchedProgram* from)
{
    ProgramRange range{m_next, batch - m_next % batch, temperatureOf(m_next), true, {}};
    if (from)
        range.from = ProgramToRefine{from->text, from->microseconds, from->speedup, from->profile};
    std::vector<GeneratedProgram> came;
    const auto take = [&](std::size_t, const GeneratedProgram& program) { came.push_back(program); };
    auto programs = m_writer->write(m_target, range, m_cancel, {m_events.progress, {}, take});
    if (!programs) {
        m_failed = true;
        m_events.failed(programs.error());
        programs = std::move(came); // They have been paid for.
    }
    for (GeneratedProgram& program : *programs)
        m_written.push_back(std::move(program));
}

std::optional<Proposal> PolicyProposer::propose(const Archive& archive, Rng& /*rng*/)
{
    if (m_failed && m_written.empty())
        return std::nullopt;
    if (m_refines && !m_failed && m_archived != archive.all().size())
        m_written.clear(); // A search that was left would not have them.
    if (m_written.empty()) {
        const SearchedProgram* from = m_refines ? choose(archive) : nullptr;
        if (m_refines && !from)
            return std::nullopt;
        m_shown = from ? from->number : 0;
        m_archived = archive.all().size();
        write(from);
    }
    if (m_written.empty() || m_cancel.cancelled())
        return std::nullopt;
    GeneratedProgram program = std::move(m_written.front());
    m_written.pop_front();
    const std::string how = wordsOf(temperatureOf(m_next++));
    if (!program.stopReason.empty()) // It cannot compile, or has no end.
        return std::nullopt;
    if (m_refines)
        return Proposal{std::move(program.text), {}, {m_shown}, {{{}, "rewritten by the policy at " + how}}};
    return Proposal{std::move(program.text), {}, {}, {{{}, "written by the policy at " + how}}};
}

void PolicyProposer::learn(const SearchedProgram& program, double /*reward*/)
{
    for (ProposalCounts& part : m_parts) {
        if (!program.steps.empty() && program.steps.front().words.ends_with(part.name))
            part.count(program);
    }
}

} // namespace

void addPolicySources(Proposers& proposers, const std::shared_ptr<const ProgramWriter>& writer,
                      const Target& target, const std::vector<double>& temperatures,
                      const CancelToken& cancel, const PolicyEvents& events)
{
    for (const bool refines : {false, true}) {
        if (!refines || writer->refines())
            proposers.push_back(
                std::make_unique<PolicyProposer>(writer, target, temperatures, cancel, events, refines));
    }
}

Status checkShares(const std::map<std::string, double>& shares, const ProgramWriter& writer)
{
    if (shares.contains("refine") && !writer.refines())
        return fail("refine has a share, but the policy was not trained to improve on programs",
                    "Leave it out, or train a policy with sft.refine above 0");
    return {};
}

Result<std::shared_ptr<const ProgramWriter>> loadSearchPolicy(const std::filesystem::path& folder,
                                                              std::uint64_t seed)
{
    GenerationOptions options;
    options.seed = seed;
    SPARSERL_TRY(const auto compute, computeFor(options.device, options.precision));
    computeRepeatably(0, 1, compute);
    SPARSERL_TRY(auto writer, ProgramWriter::load(folder, options));
    return std::make_shared<const ProgramWriter>(std::move(writer));
}

} // namespace sparserl
