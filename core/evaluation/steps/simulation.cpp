// SPDX-License-Identifier: Apache-2.0
#include "evaluation/steps/simulation.h"

#include "evaluation/cases/aligned_input.h"
#include "evaluation/cases/value_kinds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace sparserl {

namespace {

constexpr std::size_t kindsPerShape = 2; ///< Of three shapes: more than half of all kinds.
/// Inputs with which a relative of the target meets the target's values.
constexpr std::size_t kindsOfSmall = 2, kindsOfLarge = 3;
constexpr std::uint64_t schedulesOfSmall = 7; ///< In which a small relative also runs without checks.
/// One run of so many is in order, as the timed one is: a program can tell by its blocks' tickets.
constexpr std::uint64_t inOrderShare = 4;
/// Shuffled orders without checks in which a call runs that must be right in every order.
constexpr std::uint64_t furtherOrders = 5;

/// Warp instructions of launches in further calls of a judgement: some tenths of a second.
constexpr std::uint64_t furtherSteps = 8'000'000;
/// What prepare kernels of a further call may take of its budget, on average: a conversion on the device is
/// linear in the matrix, and a budget is for thousands of instructions a row.
constexpr std::uint64_t prepareShare = 32;
constexpr std::size_t furtherKindsOfLarge = 16;

/// Of programs that take factors: exact calls of a shape or relative, kinds beside the first that each meets,
/// and calls of one case.
constexpr std::size_t exactScaled = 2, factorKindsOfShape = 5, scaledOfCase = 4;

/// Of several special kinds, and one as most calls on the target have it.
std::vector<Input> mixtureOf(std::size_t special, const InputRange& range, std::int64_t columns, Rng& rng)
{
    std::vector<Input> inputs = specialInputs(special, range, columns, rng);
    inputs.push_back(timedInput(range, columns, rng));
    return inputs;
}

InputMixture withReferences(const Csr& matrix, std::vector<Input> inputs, std::int64_t columns,
                            const JudgeObserver* observer)
{
    InputMixture mixture;
    for (Input& input : inputs) {
        if (observer && observer->control == JudgeObserver::Control::Signs)
            for (std::size_t i = input.x.size() - std::min<std::size_t>(8, input.x.size());
                 i < input.x.size(); ++i)
                input.x.set(i, std::abs(input.x[i]));
        mixture.kinds.push_back(input.kind);
        mixture.expected.push_back(
            std::make_shared<Reference>(reference(matrix, input.x, columns, input.signs)));
        mixture.x.push_back(std::move(input.x));
    }
    return mixture;
}

/// The same matrix and several inputs of different kinds, in one case.
void addMixture(CasePlan& cases, const SharedMatrix& shared, InputMixture mixture,
                const SimulationCase& settings, CaseCheck check)
{
    check.kinds = std::move(mixture.kinds);
    check.references.insert(check.references.end(), mixture.expected.begin(), mixture.expected.end());
    cases.add(shared, std::move(mixture.x), settings, std::move(check));
}

/// CPU time after which a simulation counts as endless. The interpreter takes 16 million warp instructions a
/// second, so an eighth of that leaves room for the slowest instructions on the slowest machines; the rest is
/// for reading matrices and making formats.
double cpuSecondsFor(std::uint64_t steps)
{
    return 20 + static_cast<double>(steps) / 2e6;
}

} // namespace

Simulation::Simulation(JobTrials& trials, Machinery& machinery, std::shared_ptr<Control> control,
                       const JudgeOptions& options)
    : m_trials(trials)
    , m_machinery(machinery)
    , m_control(std::move(control))
    , m_options(options)
{
}

Result<std::unique_ptr<Simulation>> Simulation::make(JobTrials& trials, Machinery& machinery,
                                                     std::shared_ptr<Control> control,
                                                     const JudgeOptions& options)
{
    std::unique_ptr<Simulation> made(new Simulation(trials, machinery, std::move(control), options));
    SPARSERL_TRY(made->m_shapes[ElementType::F32], made->makeShapes(ElementType::F32));
    return made;
}

Result<std::vector<Simulation::Shape>> Simulation::makeShapes(ElementType type) const
{
    const std::string ofType = type == ElementType::F32 ? "" : fmt::format("/{}", nameOf(type));
    std::vector<Shape> shapes;
    Rng rng(deriveSeed(m_options.secret(), 0, "battery values" + ofType));
    const auto kinds = specialKinds(2, rng);
    std::size_t nextKind = 0;
    for (auto& shape : batteryShapes(deriveSeed(m_options.secret(), 0, "battery" + ofType))) {
        if (shape.matrix.type != type)
            shape.matrix = inType(shape.matrix, type);
        Shape kept;
        kept.name = shape.name;
        kept.exact = shape.exact;
        auto values = std::make_shared<Csr>();
        if (shape.exact) {
            kept.values = CaseValues::Exact;
            kept.exactValues = ExactValues::make(shape.matrix, rng);
            *values = kept.exactValues.takeMatrix();
        } else {
            // As real matrices have them, or of sizes that real ones never have.
            const bool ordinary = rng.below(3) > 0;
            kept.values = ordinary ? CaseValues::Ordinary : CaseValues::Wide;
            *values = ordinary ? withDrawnValues(shape.matrix, rng)
                               : withWideValues(shape.matrix, Scaling::make(shape.matrix, rng), rng);
            kept.range = InputRange::of(*values);
            for (std::size_t i = 0; i < kindsPerShape; ++i)
                kept.kinds.push_back(kinds[nextKind++ % kinds.size()]);
            kept.kinds.push_back(timedKinds[rng.below(timedKinds.size())]); // As most calls on targets have.
        }
        SPARSERL_TRY(auto shared, SharedMatrix::make("battery/" + shape.name + ofType, std::move(values)));
        kept.shared = std::move(shared);
        shapes.push_back(std::move(kept));
    }
    return shapes;
}

SimulationCase Simulation::settings(std::uint64_t seed, Checks checks, const Csr& matrix,
                                    std::int64_t columns) const
{
    SimulationCase one;
    one.seed = seed;
    one.checks = checks;
    one.counters = checks == Checks::Counters;
    one.schedule =
        Rng(seed).derive("order").below(inOrderShare) == 0 ? Schedule::InOrder : Schedule::Shuffled;
    constexpr std::array layouts{AddressLayout::Apart, AddressLayout::Together, AddressLayout::Far};
    one.layout = layouts[Rng(seed).derive("layout").below(layouts.size())];
    one.stepBudget = m_options.stepBudget ? m_options.stepBudget : defaultStepBudget(matrix, columns);
    return one;
}

const std::vector<InputMixture>& Simulation::batteryInputs(const std::vector<Shape>& shapes,
                                                           const TargetVariant& variant)
{
    constexpr std::size_t mostKept = 8;
    const std::int64_t columns = variant.columns;
    const std::pair key{columns, variant.type};
    if (const auto it = m_batteryInputs.find(key); it != m_batteryInputs.end())
        return it->second;
    if (m_batteryInputs.size() >= mostKept)
        m_batteryInputs.clear();
    std::vector<InputMixture>& made = m_batteryInputs[key];
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        const Shape& shape = shapes[i];
        Rng rng(deriveSeed(m_options.secret(), i, "battery inputs"));
        std::vector<Input> inputs;
        if (shape.exact)
            inputs.push_back({InputKind::Random, shape.exactValues.vector(columns, rng), Signs::Any});
        for (const InputKind kind : shape.kinds)
            inputs.push_back(makeInput(kind, shape.range, columns, rng));
        if (!shape.exact && canBeAligned(shape.range))
            inputs.push_back(alignedInput(shape.range, columns, rng));
        made.push_back(
            withReferences(*shape.shared.matrix, std::move(inputs), columns, m_options.observer.get()));
    }
    return made;
}

Flow<CaseFindings> Simulation::battery(const ProgramState& state, TargetVariant variant, bool lineCounters)
{
    auto& shapes = m_shapes[variant.type];
    if (shapes.empty()) {
        auto made = makeShapes(variant.type);
        if (!made)
            co_await m_machinery.broken(made.error());
        shapes = std::move(*made);
    }
    CasePlan cases;
    const std::vector<InputMixture>& inputs = batteryInputs(shapes, variant);
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        const Shape& shape = shapes[i];
        const Csr& matrix = *shape.shared.matrix;
        const std::uint64_t seed = deriveSeed(m_options.secret(), i, "battery inputs");
        CaseCheck check;
        check.name = shape.name;
        check.mayNotApply = true;
        check.exact = shape.exact;
        check.values = shape.values;
        auto drawn = settings(seed, Checks::All, matrix, variant.columns);
        drawn.layout = AddressLayout::Apart; // A program that leaves an array is told so.
        addMixture(cases, shape.shared, inputs[i], drawn, std::move(check));
    }
    if (const FactorUse use = factorsOf(state.program.plan); use.any())
        if (const auto added = addScaledBattery(cases, shapes, variant, use); !added)
            co_await m_machinery.broken(added.error());
    CaseFindings findings = co_await run(state, std::move(cases), variant, lineCounters);
    co_return std::move(findings);
}

Result<std::vector<Simulation::ScaledShape>> Simulation::makeScaledShapes(const std::vector<Shape>& shapes,
                                                                          const TargetVariant& variant,
                                                                          FactorUse use) const
{
    std::vector<ScaledShape> made;
    Rng rng(deriveSeed(m_options.secret(), 0, "battery factors"));
    const std::vector<FactorKind> all = factorKinds(use);
    std::vector<FactorKind> others(all.begin() + 1, all.end());
    rng.shuffle(others);
    std::size_t next = 0;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        const Shape& shape = shapes[i];
        ScaledShape& one = made.emplace_back();
        // Runners know it by its key: it depends on nothing but the shape.
        Rng values(deriveSeed(m_options.secret(), i, "battery integers"));
        SPARSERL_TRY(one.integers, SharedMatrix::make(shape.shared.key + "/integers",
                                                      std::make_shared<const Csr>(
                                                          withSmallIntegers(*shape.shared.matrix, values))));
        for (std::size_t k = 0; k < exactScaled; ++k)
            one.exact.push_back(exactScaledInput(use, *one.integers.matrix, variant.columns, rng));
        std::vector<FactorKind> kinds{all.front()};
        // Some shape with entries meets every kind; one without says little about alpha.
        const bool empty = shape.shared.matrix->nnz() == 0;
        for (std::size_t k = 0; k < factorKindsOfShape; ++k)
            kinds.push_back(others[(empty ? rng.below(others.size()) : next++) % others.size()]);
        const Csr& matrix = shape.exact ? *one.integers.matrix : *shape.shared.matrix;
        one.drawn = scaledInputs(kinds, use, matrix, shape.exact ? InputRange::of(matrix) : shape.range,
                                 variant.columns, rng);
    }
    return made;
}

Status Simulation::addScaledBattery(CasePlan& cases, const std::vector<Shape>& shapes,
                                    const TargetVariant& variant, FactorUse use)
{
    constexpr std::size_t mostKept = 8;
    if (m_scaledShapes.size() > mostKept)
        m_scaledShapes.clear();
    auto& scaled = m_scaledShapes[{variant.columns, variant.type, use.alpha, use.beta}];
    if (scaled.empty()) {
        SPARSERL_TRY(scaled, makeScaledShapes(shapes, variant, use));
    }
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        const std::uint64_t seed = deriveSeed(m_options.secret(), i, "battery factors");
        CaseCheck check;
        check.name = shapes[i].name;
        check.mayNotApply = true;
        check.exact = true;
        check.values = CaseValues::Exact;
        addScaled(cases, scaled[i].integers, scaled[i].exact, check, Checks::All, false, variant.columns,
                  seed);
        check.exact = false;
        check.values = shapes[i].values;
        addScaled(cases, shapes[i].exact ? scaled[i].integers : shapes[i].shared, scaled[i].drawn, check,
                  Checks::All, false, variant.columns, seed + 1);
    }
    return {};
}

void Simulation::addScaled(CasePlan& cases, const SharedMatrix& shared, std::vector<ScaledInput> inputs,
                           const CaseCheck& check, Checks checks, bool drawnBlocks, std::int64_t columns,
                           std::uint64_t seed) const
{
    for (std::size_t from = 0; from < inputs.size(); from += scaledOfCase) {
        auto one = settings(seed + from, checks, *shared.matrix, columns);
        one.drawnBlocks = drawnBlocks;
        const auto end =
            inputs.begin() + static_cast<std::ptrdiff_t>(std::min(inputs.size(), from + scaledOfCase));
        cases.add(shared,
                  std::vector<ScaledInput>(
                      std::make_move_iterator(inputs.begin() + static_cast<std::ptrdiff_t>(from)),
                      std::make_move_iterator(end)),
                  one, check);
    }
}

std::vector<SimulationCase> Simulation::orders(const SharedMatrix& shared, std::int64_t columns,
                                               std::uint64_t seed, bool everyOrder) const
{
    std::vector<SimulationCase> made;
    const auto ordered = [&](std::uint64_t number, Checks checks, Schedule schedule) {
        auto one = settings(deriveSeed(seed, number, "order"), checks, *shared.matrix, columns);
        one.schedule = schedule;
        if (schedule == Schedule::InOrder) // As where time is taken: a program can read both.
            one.layout = AddressLayout::Apart;
        made.push_back(std::move(one));
    };
    const bool inOrder = Rng(seed).derive("in order").chance(0.5);
    if (everyOrder || inOrder)
        ordered(0, Checks::All, Schedule::InOrder);
    if (everyOrder || !inOrder)
        ordered(1, Checks::All, Schedule::Shuffled);
    for (std::uint64_t i = 0; everyOrder && i < furtherOrders; ++i)
        ordered(2 + i, Checks::None, Schedule::Shuffled);
    return made;
}

void Simulation::addOrders(CasePlan& cases, const SharedMatrix& shared, const Numbers& x,
                           const CaseCheck& check, std::int64_t columns, std::uint64_t seed,
                           bool everyOrder) const
{
    for (const SimulationCase& one : orders(shared, columns, seed, everyOrder))
        cases.add(shared, std::vector{x}, one, check);
}

void Simulation::addOrders(CasePlan& cases, const SharedMatrix& shared, const ScaledInput& input,
                           const CaseCheck& check, std::int64_t columns, std::uint64_t seed,
                           bool everyOrder) const
{
    for (const SimulationCase& one : orders(shared, columns, seed, everyOrder))
        cases.add(shared, std::vector{input}, one, check);
}

void Simulation::addFurther(CasePlan& cases, std::vector<FurtherCalls> calls, std::int64_t columns,
                            std::uint64_t seed, FactorUse use) const
{
    Rng(seed).derive("further").shuffle(calls);
    std::ranges::stable_sort(calls, {}, &FurtherCalls::turn);
    Rng factors = Rng(seed).derive("factors");
    for (FurtherCalls& one : calls) {
        auto drawn = settings(seed++, one.checks, *one.matrix.matrix, columns);
        drawn.ifSpent = one.ifSpent;
        drawn.drawnBlocks = one.drawnBlocks;
        drawn.mark = one.check.name.empty() && m_options.observer &&
                     m_options.observer->control == JudgeObserver::Control::Mark;
        if (use.any() && !one.check.exact) {
            std::vector<ScaledInput> inputs = perhapsScaled(one, use, columns, factors);
            cases.add(one.matrix, std::move(inputs), drawn, std::move(one.check));
        } else {
            cases.add(one.matrix, std::move(one.x), drawn, std::move(one.check));
        }
    }
}

Status Simulation::addRelatives(CasePlan& cases, TargetContext& context, std::int64_t columns,
                                std::uint64_t seed, bool large, FactorUse use) const
{
    const Relative& relative = context.relative();
    const Csr& matrix = *relative.wide.matrix;
    Rng rng(seed);
    auto vectors = relative.exactValues.linearVectors(columns, rng);
    CaseCheck exact;
    exact.name = "like-the-target";
    exact.exact = exact.linear = true;
    exact.values = CaseValues::Exact;
    for (const auto& x : vectors)
        exact.references.push_back(
            std::make_shared<Reference>(reference(*relative.exact.matrix, x, columns)));
    cases.add(relative.exact, {std::move(vectors[0]), std::move(vectors[1]), std::move(vectors[2])},
              settings(seed, Checks::All, matrix, columns), std::move(exact));
    const auto x = wideVector(relative.scaling, columns, rng);
    CaseCheck random;
    random.name = "like-the-target";
    random.values = CaseValues::Wide;
    random.references = {std::make_shared<Reference>(reference(matrix, x, columns))};
    auto once = settings(seed + 1, Checks::All, matrix, columns);
    once.schedule = Schedule::InOrder;
    cases.add(relative.wide, {x}, once, random);
    random.repeats = 1;
    auto again = settings(seed + 2, Checks::All, matrix, columns);
    again.schedule = Schedule::Shuffled;
    cases.add(relative.wide, {x}, again, random);
    // What depends on an order of blocks and breaks no rule of the memory model shows in results only: in
    // some schedule of several. They cost little without checks, and a GPU runs the target in its own ones.
    CaseCheck ordered;
    ordered.name = random.name;
    ordered.exact = true;
    ordered.values = CaseValues::Exact;
    for (std::uint64_t i = 0; i < schedulesOfSmall; ++i) {
        auto vector = relative.exactValues.vector(columns, rng);
        ordered.references = {
            std::make_shared<Reference>(reference(*relative.exact.matrix, vector, columns))};
        cases.add(relative.exact, {std::move(vector)}, settings(seed + 8 + i, Checks::None, matrix, columns),
                  ordered);
    }
    CaseCheck mixed;
    mixed.name = random.name;
    const auto withTheirs = [&](const SharedMatrix& own, std::size_t special, const InputRange& range) {
        return withReferences(*own.matrix, mixtureOf(special, range, columns, rng), columns,
                              m_options.observer.get());
    };
    addMixture(cases, relative.own, withTheirs(relative.own, kindsOfSmall, relative.range),
               settings(seed + 6, Checks::All, matrix, columns), mixed);
    // The target meets most kinds without checks, in schedules that those do not have: so do tests.
    addMixture(cases, relative.own, withTheirs(relative.own, kindsOfSmall, relative.range),
               settings(seed + 8 + schedulesOfSmall, Checks::None, matrix, columns), mixed);
    if (m_options.everyKind) {
        SPARSERL_TRY(const auto variants, context.smallVariants(columns));
        for (const VariantCase& one : *variants) {
            CaseCheck check;
            check.name = random.name;
            check.kinds = {one.input.kind};
            check.references = {std::shared_ptr<const Reference>(variants, &one.expected)};
            auto once = settings(seed + 6, Checks::None, matrix, columns);
            once.launches = false;
            cases.add(one.variant->matrix, {one.input.x}, once, std::move(check));
        }
    }
    if (use.any()) {
        Rng factors = Rng(seed).derive("factors");
        CaseCheck scaled;
        scaled.name = random.name;
        const auto add = [&](const SharedMatrix& shared, std::vector<ScaledInput> inputs, bool isExact,
                             Checks checks) {
            scaled.exact = isExact;
            scaled.values = isExact ? CaseValues::Exact : CaseValues::Ordinary;
            addScaled(cases, shared, std::move(inputs), scaled, checks, false, columns, factors.next());
        };
        const Csr& own = *relative.own.matrix;
        // Its values follow from its key: runners know it by that.
        const std::string key = relative.own.key + "/integers";
        Rng values(deriveSeed(m_options.secret(), 0, key));
        SPARSERL_TRY(const auto integers,
                     SharedMatrix::make(key, std::make_shared<const Csr>(withSmallIntegers(own, values))));
        std::vector<ScaledInput> whole;
        for (std::size_t i = 0; i < exactScaled; ++i)
            whole.push_back(exactScaledInput(use, *integers.matrix, columns, factors));
        add(integers, std::move(whole), true, Checks::None);
        const auto kinds = drawnFactorKinds(
            use, m_options.everyKind ? factorKinds(use).size() : factorKindsOfShape, factors);
        add(relative.own, scaledInputs(kinds, use, own, relative.range, columns, factors), false,
            Checks::All);
        if (large) {
            SPARSERL_TRY(const auto kept, context.largeRelative(columns));
            scaled.name = "like-the-target-large";
            add(kept->own,
                scaledInputs(drawnFactorKinds(use, 1, factors), use, *kept->own.matrix, kept->range, columns,
                             factors),
                false, Checks::All);
        }
    }
    if (!large)
        return {};
    SPARSERL_TRY(const auto kept, context.largeRelative(columns));
    const SharedMatrix& shared = kept->exact;
    const auto vector = kept->exactValues.vector(columns, rng);
    CaseCheck check;
    check.name = "like-the-target-large";
    check.exact = true;
    check.values = CaseValues::Exact;
    check.references = {std::make_shared<Reference>(reference(*shared.matrix, vector, columns))};
    addOrders(cases, shared, vector, check, columns, seed + 5, m_options.everyKind);
    mixed.name = "like-the-target-large";
    addMixture(cases, kept->own, withTheirs(kept->own, kindsOfLarge, kept->range),
               settings(seed + 7, Checks::None, *shared.matrix, columns), mixed);
    if (!m_options.everyKind)
        return {};
    auto further = specialCalls(
        kept->own,
        withReferences(*kept->own.matrix, everySpecialInput(kept->range, columns, rng, furtherKindsOfLarge),
                       columns, m_options.observer.get()),
        mixed, IfSpent::LeftOut, seed + 7);
    SPARSERL_TRY(const auto variants, context.largeVariants(columns));
    for (FurtherCalls& one : variantCalls(variants, IfSpent::LeftOut, seed + 7)) {
        one.check.name = mixed.name;
        further.push_back(std::move(one));
    }
    addFurther(cases, std::move(further), columns, seed + 64, use);
    return {};
}

Flow<CaseFindings> Simulation::run(const ProgramState& state, CasePlan cases, TargetVariant variant,
                                   bool lineCounters)
{
    SimulationJob job;
    job.program = state.program.text;
    job.ptx = state.compiled.ptx;
    job.resources = state.compiled.resources;
    job.model = m_options.deviceModel;
    job.furtherSteps = furtherSteps;
    const auto memory = cases.fill(job, variant);
    if (!memory)
        co_await m_machinery.broken(memory.error());
    job.furtherPrepareSteps = 8 * furtherSteps;
    for (SimulationCase& one : job.cases) {
        if (one.ifSpent != IfSpent::Runs)
            job.furtherPrepareSteps += one.stepBudget / prepareShare;
        one.lineCounters = one.lineCounters || lineCounters;
        one.counters = one.counters || one.lineCounters;
        if (m_options.observer)
            one.observe = m_options.observer->scratch;
    }
    const double cpu = cpuSecondsFor(cases.totalSteps());
    TrialJob trial;
    trial.job.role = RunnerRole::Sim;
    trial.job.body = toJson(job);
    trial.job.body["cpu_seconds"] = cpu;
    trial.job.memory = *memory;
    trial.job.matrices = cases.matrices();
    trial.job.wallSeconds = 120 + 10 * cpu; // Beyond it the machine is stuck, however loaded it is.
    trial.control = m_control;
    trial.task = "simulate a program";
    const auto read = [&](const nlohmann::json& answer) -> Result<CaseFindings> {
        SPARSERL_TRY(const auto answers, caseAnswersFromJson(answer));
        if (m_options.observer)
            cases.tell(*m_options.observer, state.program.text.text(), answers);
        return cases.judge(answers, **memory, state.compiled.traits.flushes);
    };
    auto tried = co_await m_trials.run(std::move(trial), read);
    if (tried.answer)
        co_return std::move(*tried.answer);
    CaseFindings findings;
    findings.failure.emplace();
    findings.failure->fault = simulatorFailure(tried.blamed);
    co_return std::move(findings);
}

} // namespace sparserl
