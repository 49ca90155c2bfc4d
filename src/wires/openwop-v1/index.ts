import type { Wire } from '../../http/wire.ts'
import { toOpenWopError } from './errors.ts'
import { agentRoutes } from './routes/agents.ts'
import { interruptRoutes } from './routes/interrupts.ts'
import { memoryRoutes } from './routes/memory.ts'
import { runEventRoutes } from './routes/run-events.ts'
import { runRoutes } from './routes/runs.ts'
import { systemRoutes } from './routes/system.ts'
import { webhookRoutes } from './routes/webhooks.ts'
import { ErrorEnvelope } from './schemas/error.ts'

/** OpenWOP, version 1: discovery, workflows, runs, interrupts, webhooks, the agent inventory. */
export const openwopV1: Wire = {
  owns: (path) =>
    /^\/(v1\/(runs|workflows|interrupts|webhooks|agents|audit|memory)|\.well-known)(\/|\?|:|$)/.test(path),
  routes: [...memoryRoutes],
  mount(app, parts) {
    systemRoutes(app, parts)
    runRoutes(app, parts)
    runEventRoutes(app, parts)
    interruptRoutes(app, parts)
    webhookRoutes(app, parts)
    agentRoutes(app, parts)
  },
  errorSchema: ErrorEnvelope,
  toError: toOpenWopError,
}
