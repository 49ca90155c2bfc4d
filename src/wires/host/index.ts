import type { Wire } from '../../http/wire.ts'
import { toOpenWopError } from '../openwop-v1/errors.ts'
import { ErrorEnvelope } from '../openwop-v1/schemas/error.ts'
import { withWriterCode } from '../provenance/errors.ts'
import { agentRoutes } from './routes/agents.ts'
import { aliasRoutes } from './routes/aliases.ts'
import { auditRoutes } from './routes/audit.ts'
import { changeRoutes } from './routes/changes.ts'
import { claimRoutes } from './routes/claims.ts'
import { commitmentRoutes } from './routes/commitments.ts'
import { compactionRoutes } from './routes/compactions.ts'
import { consolidationRoutes } from './routes/consolidations.ts'
import { containmentRoutes } from './routes/containments.ts'
import { distillationRoutes } from './routes/distillations.ts'
import { embeddingsRoutes } from './routes/embeddings.ts'
import { entryRoutes } from './routes/entries.ts'
import { forgetRoutes } from './routes/forget.ts'
import { heartbeatRoutes } from './routes/heartbeats.ts'
import { jobRoutes } from './routes/jobs.ts'
import { keyRoutes } from './routes/keys.ts'
import { logRoutes } from './routes/log.ts'
import { mcpRoutes } from './routes/mcp.ts'
import { momentRoutes } from './routes/moment.ts'
import { nameRoutes } from './routes/names.ts'
import { exportRoutes, mountImport } from './routes/portable.ts'
import { quarantineRoutes } from './routes/quarantine.ts'
import { ruleRoutes } from './routes/rules.ts'
import { runRoutes } from './routes/runs.ts'
import { scheduleRoutes } from './routes/schedules.ts'
import { secretRoutes } from './routes/secrets.ts'
import { sessionRoutes } from './routes/session.ts'
import { statsRoutes } from './routes/stats.ts'
import { tenantSearchRoutes } from './routes/tenant-search.ts'
import { tenantRoutes } from './routes/tenants.ts'
import { webhookRoutes } from './routes/webhooks.ts'
import { workflowRoutes } from './routes/workflows.ts'

/** The routes of Colophon beside the protocols: entries, keys, secrets, jobs, erasure, exports. */
export const host: Wire = {
  owns: () => true,
  routes: [
    ...entryRoutes,
    ...tenantSearchRoutes,
    ...changeRoutes,
    ...momentRoutes,
    ...sessionRoutes,
    ...nameRoutes,
    ...statsRoutes,
    ...claimRoutes,
    ...quarantineRoutes,
    ...compactionRoutes,
    ...consolidationRoutes,
    ...distillationRoutes,
    ...commitmentRoutes,
    ...heartbeatRoutes,
    ...embeddingsRoutes,
    ...forgetRoutes,
    ...containmentRoutes,
    ...exportRoutes,
    ...auditRoutes,
    ...logRoutes,
    ...jobRoutes,
    ...scheduleRoutes,
    ...webhookRoutes,
    ...workflowRoutes,
    ...runRoutes,
    ...agentRoutes,
    ...aliasRoutes,
    ...secretRoutes,
    ...ruleRoutes,
    ...keyRoutes,
    ...tenantRoutes,
  ],
  mount(app, parts) {
    mcpRoutes(app, parts)
    mountImport(app, parts)
  },
  errorSchema: ErrorEnvelope,
  toError: (failure) => toOpenWopError(withWriterCode(failure)),
}
