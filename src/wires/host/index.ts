import type { Wire } from '../../http/wire.ts'
import { toOpenWopError } from '../openwop-v1/errors.ts'
import { ErrorEnvelope } from '../openwop-v1/schemas/error.ts'
import { adminRoutes } from './routes/admin.ts'
import { agentRoutes } from './routes/agents.ts'
import { auditRoutes } from './routes/audit.ts'
import { changeRoutes } from './routes/changes.ts'
import { claimRoutes } from './routes/claims.ts'
import { compactionRoutes } from './routes/compactions.ts'
import { embeddingsRoutes } from './routes/embeddings.ts'
import { forgetRoutes } from './routes/forget.ts'
import { jobRoutes } from './routes/jobs.ts'
import { mcpRoutes } from './routes/mcp.ts'
import { memoryRoutes } from './routes/memory.ts'
import { portableRoutes } from './routes/portable.ts'
import { runInspectRoutes } from './routes/run-inspect.ts'
import { runRoutes } from './routes/runs.ts'
import { scheduleRoutes } from './routes/schedules.ts'
import { statsRoutes } from './routes/stats.ts'
import { workflowRoutes } from './routes/workflows.ts'

/** What Colophon adds beside the protocols: entries, keys, secrets, jobs, forgetting, exports. */
export const host: Wire = {
  owns: () => true,
  routes: [...memoryRoutes],
  mount(app, parts) {
    adminRoutes(app, parts)
    agentRoutes(app, parts)
    auditRoutes(app, parts)
    changeRoutes(app, parts)
    claimRoutes(app, parts)
    compactionRoutes(app, parts)
    embeddingsRoutes(app, parts)
    forgetRoutes(app, parts)
    jobRoutes(app, parts)
    mcpRoutes(app, parts)
    portableRoutes(app, parts)
    runInspectRoutes(app, parts)
    runRoutes(app, parts)
    scheduleRoutes(app, parts)
    statsRoutes(app, parts)
    workflowRoutes(app, parts)
  },
  errorSchema: ErrorEnvelope,
  toError: toOpenWopError,
}
