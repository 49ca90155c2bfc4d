// What a host can do wrong with memory.
import type { Target } from '../harness.ts'
import { claimFaults } from './claim-faults.ts'
import { commitmentFaults } from './commitment-faults.ts'
import { compactionFaults } from './compaction-faults.ts'
import { consolidationFaults } from './consolidation-faults.ts'
import { distillationFaults } from './distillation-faults.ts'
import { entryFaults } from './entry-faults.ts'
import { heartbeatFaults } from './heartbeat-faults.ts'
import { budgetFaults } from './injection-budget.ts'
import type { NoticedFault } from './noticed.ts'
import { replayFaults } from './replay-faults.ts'
import { runFaults } from './run-faults.ts'
import { tenancyFaults } from './tenancy-faults.ts'

export const memoryFaults = (target: Target): readonly NoticedFault[] => [
  ...claimFaults,
  ...entryFaults,
  ...compactionFaults,
  ...distillationFaults,
  ...consolidationFaults,
  ...commitmentFaults(),
  ...heartbeatFaults(),
  ...runFaults,
  ...replayFaults,
  ...budgetFaults,
  ...tenancyFaults(target),
]
