import { countReresolve } from '../../../app/provenance/count-reresolve.ts'
import { startReresolve } from '../../../app/provenance/reresolve.ts'
import { changeWriter, createWriter, listWriters } from '../../../app/provenance/writers.ts'
import { respond, route } from '../../../http/route.ts'
import { page } from '../../page.ts'
import { JobStarted, PageQuery } from '../../schema-parts.ts'
import { ChangedWriter, Writer, WriterChange, WriterDraft, WriterList } from '../schemas/writers.ts'
import { toSnake } from '../snake-case.ts'
import { readWriter, toWriterView } from '../views/writers.ts'

const tag = 'writers'
const base = '/v1/tenant/service-writers'
const access = 'memory:admin'

/** Source services and their authority (0–100). */
export const writerRoutes = [
  route('listWriters', `GET ${base}`, access, {
    summary: 'List writers',
    description: 'The registered source services, in order of service key.',
    tag,
    query: PageQuery,
    responses: { 200: WriterList },
    async handler({ tenant, query }) {
      const { items, next } = await page(query, 'serviceKey', (range) => listWriters(tenant, range))
      return { data: items.map(toWriterView), ...next }
    },
  }),
  route('createWriter', `POST ${base}`, access, {
    summary: 'Register a writer',
    description: 'Registers a source service. The source of an event must be a registered, active writer.',
    tag,
    body: WriterDraft,
    responses: { 201: Writer },
    async handler({ tenant, body, write }) {
      const { service_key: serviceKey, ...draft } = body
      const { writer, repeated } = await createWriter(tenant, { serviceKey, ...readWriter(draft) }, write)
      return respond(toWriterView(writer), { repeated })
    },
  }),
  route('changeWriter', `PATCH ${base}/{id}`, access, {
    summary: 'Change a writer',
    description:
      'New authority rules apply to later events; reresolve the writer to decide its earlier claims again. The response to new rules counts the claims that a reresolve would change.',
    tag,
    body: WriterChange,
    responses: { 200: ChangedWriter },
    async handler({ tenant, params, body, write }) {
      const { writer, repeated } = await changeWriter(tenant, params.id, readWriter(body), write)
      const isRanked = body.authority_rules !== undefined
      // Claims that a reader cannot see must not show in a count.
      const counted = isRanked && tenant.reader === null ? await countReresolve(tenant, writer) : null
      return respond({ ...toWriterView(writer), ...(counted && { reresolve: toSnake(counted) }) }, { repeated })
    },
  }),
  route('reresolveWriter', `POST ${base}/{id}:reresolve`, access, {
    summary: 'Reresolve the claims of a writer',
    description: 'Starts a job that decides every claim of the writer with its current rules.',
    tag,
    responses: { 202: JobStarted },
    async handler({ tenant, params, write }) {
      const { jobId, repeated } = await startReresolve(tenant, params.id, write)
      return respond({ jobId }, { repeated })
    },
  }),
]
