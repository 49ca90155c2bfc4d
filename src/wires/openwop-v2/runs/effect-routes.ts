import { runEffects } from '../../../app/runs/effects.ts'
import { sha256 } from '../../../core/audit/digest.ts'
import { toInstant } from '../../../core/check.ts'
import { respond, route } from '../../../http/route.ts'
import { bindId, openPathId } from '../ids.ts'
import { EffectSeams, RunEffects } from '../schemas/effects.ts'

const tag = 'runs'

/** Every place where a run changes something outside of its own log. A test fails when a replay passes one. */
const seams = [
  {
    seam: 'webhook.fanout',
    kind: 'webhook-fanout',
    guarded: true,
    guardedBy: 'Deliveries are jobs of the commit that stores an event; the commits of a replay have none.',
    branchReFires: true,
    note: 'A branch delivers only its own events, not those that it inherited.',
  },
  {
    seam: 'memory.write',
    kind: 'storage',
    guarded: true,
    guardedBy:
      'A replay answers memory calls from the record; a commit of a replay that writes memory fails an invariant.',
    branchReFires: true,
    note: 'A branch writes entries of its own, with new ids, from fromSeq on.',
  },
  {
    seam: 'workspace.write',
    kind: 'storage',
    guarded: true,
    guardedBy: 'A write of a file is recorded like a memory call: a replay takes the record, and writes nothing.',
    branchReFires: true,
    note: 'A branch writes versions of its own from fromSeq on.',
  },
  {
    seam: 'distillation.archive',
    kind: 'storage',
    guarded: true,
    guardedBy: 'An archive is recorded like a memory call: a replay takes its id from the record.',
    branchReFires: true,
    note: 'The same sources, budget and summariser give the archive that is stored already.',
  },
  {
    seam: 'model.complete',
    kind: 'provider-sdk',
    guarded: true,
    guardedBy:
      'Every answer of a model is stored in the run before a node sees it. A replay takes it from there, and fails as replay_source_missing where there is none.',
    branchReFires: true,
    note: 'A branch asks the model again for what lies behind fromSeq. A host without a model has no such calls.',
  },
] as const

/** The effects of runs, and where this host has any. */
export const effectRoutes = [
  route('getRunEffects', 'GET /runs/{runId}/effects', 'runs:read', {
    summary: 'List the effects of a run',
    description:
      'Each entry or file that a node of the run wrote or deleted, and each archive that it made, by ids only. A replay has no effects.',
    tag,
    responses: { 200: RunEffects },
    async handler({ tenant, params }) {
      const runId = openPathId('runId', tenant.id, params.runId)
      const effects = (await runEffects(tenant, runId)).map(({ ordinal, nodeId, attempt, at, archiveId }) => ({
        effectId: bindId(tenant.id, `eff-${sha256(archiveId ?? `${runId}.${ordinal}`).slice(0, 32)}`),
        nodeId,
        attempt,
        keying: archiveId === null ? ('activity-recipe' as const) : ('business-identity' as const),
        state: 'completed' as const,
        at: toInstant(at),
      }))
      return { runId: bindId(tenant.id, runId), effects }
    },
  }),
  route('getEffectSeamManifest', 'GET /host/effect-seams', 'manifest:read', {
    summary: 'List the effect seams of this host',
    description: 'Where runs have effects outside of their own log, and what keeps a replay from repeating them.',
    tag: 'system',
    responses: { 200: EffectSeams },
    async handler({ parts: { version } }) {
      const host = { name: 'colophon', build: { kind: 'commit' as const, id: `v${version}` } }
      return respond({ manifestVersion: '1' as const, host, seams }, {})
    },
  }),
]
