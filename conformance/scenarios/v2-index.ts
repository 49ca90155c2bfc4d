// The scenarios of version 2.
import type { Scenario } from '../harness.ts'
import { scenarios as discovery } from './v2/discovery.ts'
import { scenarios as events } from './v2/events.ts'
import { scenarios as idempotency } from './v2/idempotency.ts'
import { scenarios as ids } from './v2/ids.ts'
import { scenarios as interrupts } from './v2/interrupts.ts'
import { scenarios as memory } from './v2/memory.ts'
import { scenarios as runs } from './v2/runs.ts'
import { scenarios as seams } from './v2/seams.ts'
import { scenarios as secrets } from './v2/secrets.ts'
import { scenarios as webhooks } from './v2/webhooks.ts'

export const v2Scenarios: readonly Scenario[] = [
  discovery,
  ids,
  runs,
  idempotency,
  events,
  interrupts,
  memory,
  secrets,
  seams,
  webhooks,
].flat()
