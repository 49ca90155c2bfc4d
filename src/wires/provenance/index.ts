import type { Wire } from '../../http/wire.ts'
import { toProvenanceError } from './errors.ts'
import { ingestJobRoutes } from './routes/ingest-jobs.ts'
import { memoriesRoutes } from './routes/memories.ts'
import { settingsRoutes } from './routes/settings.ts'
import { sourceRoutes } from './routes/source-events.ts'
import { writerRoutes } from './routes/writers.ts'
import { ProvenanceError } from './schemas/error.ts'

/** The provenance API: writers, source events, and the memories that they stated. */
export const provenance: Wire = {
  owns: (path) => /^\/v1\/(memories|tenant)(\/|\?|:|$)/.test(path),
  routes: [...memoriesRoutes, ...ingestJobRoutes, ...writerRoutes, ...sourceRoutes, ...settingsRoutes],
  errorSchema: ProvenanceError,
  toError: toProvenanceError,
}
