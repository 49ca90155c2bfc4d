import type { Wire } from '../../http/wire.ts'
import { versionHeader } from '../negotiation.ts'
import { toOpenWopError } from './errors.ts'
import { agentRoutes } from './routes/agents.ts'
import { auditRoutes } from './routes/audit.ts'
import { entryRoutes } from './routes/entries.ts'
import { interruptRoutes } from './routes/interrupts.ts'
import { runControlRoutes } from './routes/run-control.ts'
import { runEventRoutes } from './routes/run-events.ts'
import { runInspectRoutes } from './routes/run-inspect.ts'
import { runRoutes } from './routes/runs.ts'
import { systemRoutes } from './routes/system.ts'
import { webhookRoutes } from './routes/webhooks.ts'
import { workflowRoutes } from './routes/workflows.ts'
import { workspaceRoutes } from './routes/workspace.ts'
import { ErrorEnvelope } from './schemas/error.ts'

/** OpenWOP, version 1: discovery, workflows, runs, interrupts, webhooks, the agent inventory, workspace files. */
export const openwopV1: Wire = {
  owns: (path) =>
    /^\/(v1\/(runs|workflows|interrupts|webhooks|agents|audit|memory|host\/workspace)|\.well-known)(\/|\?|:|$)/.test(
      path,
    ),
  routes: [
    ...systemRoutes,
    ...entryRoutes,
    ...runRoutes,
    ...runControlRoutes,
    ...runEventRoutes,
    ...runInspectRoutes,
    ...interruptRoutes,
    ...workflowRoutes,
    ...webhookRoutes,
    ...agentRoutes,
    ...auditRoutes,
    ...workspaceRoutes,
  ],
  errorSchema: ErrorEnvelope,
  errorHeaders: versionHeader,
  toError: toOpenWopError,
}
