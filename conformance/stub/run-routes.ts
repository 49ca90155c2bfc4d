// The stub host's run routes.
import { asArray, at, type JsonObject } from '../harness.ts'
import { isOver, type StubRun } from './engine.ts'
import { type Call, parseBody, type Reply, refuse, type Stub } from './host.ts'
import { serveStream, streamFault } from './streams.ts'
import { workflows } from './workflows.ts'

function snapshotOf(run: StubRun): JsonObject {
  const { runId, body, status, error, currentNodeId, token, tenant } = run
  const { workflowId, inputs = {}, tags, metadata, configurable } = body
  const open = !isOver(run)
  return {
    runId,
    workflowId,
    status,
    owner: { tenant },
    ...(workflowId === 'conformance-identity' ? { variables: inputs } : {}),
    ...(error ? { error } : {}),
    ...(tags ? { tags } : {}),
    ...(metadata ? { metadata } : {}),
    ...(configurable ? { configurable } : {}),
    ...(open && currentNodeId ? { currentNodeId, interrupt: { interruptToken: token } } : {}),
  }
}

function badOptions(body: JsonObject): boolean {
  const options = (body.configurable ?? {}) as JsonObject
  const limit = options.recursionLimit
  if (limit !== undefined && (!Number.isInteger(limit) || Number(limit) < 1)) return true
  if (body.workflowId !== 'conformance-configurable-schema') return false
  const isKnown = Object.keys(options).every((name) => ['recursionLimit', 'tags'].includes(name))
  return !isKnown || !asArray(options.tags).every((tag) => typeof tag === 'string')
}

function create({ engine, runs, fault }: Stub, { raw, tenant, request }: Call): Reply {
  const body = parseBody(raw)
  if (body === null || Array.isArray(body.inputs)) return refuse(400, 'validation_error')
  if (workflows[String(body.workflowId)] === undefined) return refuse(400, 'validation_error')
  if (badOptions(body) && fault !== 'options-unchecked') return refuse(400, 'validation_error')
  const active = [...runs.values()].find((run) => !isOver(run) && run.body.scopeId === body.scopeId)
  if (request.headers['x-dedup'] === 'enforce' && active && body.scopeId !== undefined) {
    const refusal = refuse(409, 'run_already_active', { activeRunId: active.runId, activeHost: 'cloud', retryAfter: 1 })
    return { ...refusal, headers: { 'Retry-After': '1' } }
  }
  const run = engine.start(tenant, body, null, [])
  runs.set(run.runId, run)
  const eventsUrl = `/v1/runs/${run.runId}/events`
  return { status: fault === 'created-with-200' ? 200 : 201, body: { runId: run.runId, status: run.status, eventsUrl } }
}

function bulkCancel(stub: Stub, { raw, tenant }: Call): Reply {
  const runIds = asArray(parseBody(raw)?.runIds)
  if (runIds.length === 0 || runIds.length > 100) return refuse(400, 'validation_error', { maxRunIds: 100 })
  const results = runIds.map((runId) => {
    const run = stub.runs.get(String(runId))
    if (run === undefined || run.tenant !== tenant)
      return { runId, ok: false, error: { code: 'not_found', message: 'none' } }
    stub.engine.end(run, 'cancelled', {})
    return { runId, ok: true, status: 'cancelled' }
  })
  return { status: 200, body: { results: stub.fault === 'bulk-cancel-unordered' ? results.reverse() : results } }
}

function fork({ engine, runs, fault }: Stub, run: StubRun, raw: string): Reply {
  const { mode, fromSeq, runOptionsOverlay } = parseBody(raw) ?? {}
  const isWrong = fromSeq === undefined ? mode === 'branch' : !Number.isInteger(fromSeq) || Number(fromSeq) < 0
  if ((mode !== 'replay' && mode !== 'branch') || isWrong) return refuse(400, 'validation_error')
  if (mode === 'replay' && runOptionsOverlay !== undefined) return refuse(400, 'validation_error')
  const point = Number(fromSeq ?? 0)
  if (point > run.events.length && fault !== 'fork-beyond-end') return refuse(422, 'validation_error')
  const copy = engine.start(run.tenant, run.body, mode === 'replay' ? run : null, run.events.slice(0, point))
  runs.set(copy.runId, copy)
  const body = { runId: copy.runId, sourceRunId: run.runId, fromSeq: point, mode, status: 'running', eventsUrl: '/' }
  return { status: 201, body }
}

function pauseOrResume({ fault }: Stub, run: StubRun, verb: string, raw: string): Reply {
  const { drainPolicy = 'drain-current-node', reason } = parseBody(raw) ?? {}
  const { runId } = run
  const allowed = verb === 'pause' ? run.status === 'running' || fault === 'pause-twice' : run.status === 'paused'
  const pausedAt = run.pausedAt ? { pausedAt: run.pausedAt } : {}
  if (!allowed) return refuse(409, 'conflict', { runStatus: run.status, ...pausedAt })
  run.pauseWanted = verb === 'pause' ? (drainPolicy as 'immediate') : null
  if (verb === 'pause') {
    run.pausedAt = new Date().toISOString()
    run.body.pauseReason = reason
  }
  run.wake()
  return { status: 202, body: { runId, status: verb === 'pause' ? 'paused' : 'running' } }
}

function resolve({ fault }: Stub, run: StubRun, nodeId: string, raw: string, gone: number): Reply {
  const value = parseBody(raw)?.resumeValue
  const node = workflows[String(run.body.workflowId)]?.find(({ id }) => id === nodeId)
  if (node === undefined) return refuse(404, 'interrupt_not_found')
  const isWaiting = run.status.startsWith('waiting-')
  if (!isWaiting && !fault?.endsWith('twice')) return refuse(gone, 'interrupt_already_resolved')
  const action = at(value, 'action')
  if (node.config?.kind === 'approval' && action !== 'accept' && action !== 'reject' && fault !== 'gate-takes-anything')
    return refuse(400, 'validation_error')
  const wrongOrder = at(node.config, 'correlation', 'orderId') !== at(value, 'orderId')
  if (node.config?.kind === 'external-event' && wrongOrder && fault !== 'correlation-ignored')
    return refuse(422, 'validation_error')
  // Before the run wakes, so that a second call in between sees that it is no longer waiting.
  if (isWaiting) run.status = 'running'
  run.wake(value)
  return { status: 200, body: { runId: run.runId, nodeId, status: run.status } }
}

function byToken(stub: Stub, { method, url, raw }: Call): Reply {
  const token = url.pathname.split('/')[3]
  const run = [...stub.runs.values()].find((candidate) => candidate.token === token)
  if (run === undefined) return refuse(404, 'not_found')
  if (method === 'POST') return resolve(stub, run, String(run.currentNodeId), raw, 409)
  return { status: 200, body: { kind: 'external-event', key: run.currentNodeId, data: {} } }
}

function poll({ fault }: Stub, run: StubRun, url: URL): Reply {
  const cursor = Number(url.searchParams.get('lastSequence') ?? -1)
  if (!Number.isInteger(cursor)) return refuse(400, 'validation_error')
  const from = fault === 'cursor-inclusive' ? cursor : cursor + 1
  const stored = run.events.filter(({ sequence }) => sequence >= from)
  const events = fault === 'unstable-log' ? stored.map((event) => ({ ...event, eventId: `${Math.random()}` })) : stored
  return { status: 200, body: { events, isComplete: isOver(run) } }
}

function bundle({ fault }: Stub, run: StubRun): Reply {
  const shown = fault === 'bundle-shows-inputs' ? { inputs: run.body.inputs } : {}
  const body = {
    bundleVersion: '1.0',
    generatedAt: new Date().toISOString(),
    host: { name: 'stub', version: '1' },
    run: { ...snapshotOf(run), ...shown },
    events: run.events,
    redactionApplied: true,
    redactionMode: 'omit',
  }
  return { status: 200, body, headers: { 'Cache-Control': 'no-store' } }
}

export function handleRun(stub: Stub, call: Call): Reply | null {
  const { method, url, raw, tenant, request, response } = call
  const [, area, idAndVerb = '', part = '', last = ''] = url.pathname.split('/').slice(1)
  if (area === 'interrupts') return byToken(stub, call)
  if (area === 'runs:bulk-cancel') return bulkCancel(stub, call)
  if (idAndVerb === '') return create(stub, call)
  const [id = '', verb] = idAndVerb.split(':')
  const run = stub.runs.get(id)
  const isForeign = run?.tenant !== tenant && stub.fault !== 'tenants-mixed'
  if (run === undefined || isForeign) return refuse(404, 'not_found')
  if (verb === 'fork') return fork(stub, run, raw)
  if (verb === 'pause' || verb === 'resume') return pauseOrResume(stub, run, verb, raw)
  if (part === '' && verb === undefined) return { status: 200, body: snapshotOf(run) }
  if (part === 'cancel' && method === 'POST') {
    if (stub.fault !== 'cancel-ignored') stub.engine.end(run, 'cancelled', { reason: 'asked for' })
    return { status: 200, body: { runId: id, status: 'cancelled' } }
  }
  if (part === 'interrupts') return resolve(stub, run, last, raw, isOver(run) && run.status === 'cancelled' ? 422 : 409)
  if (part === 'debug-bundle') return bundle(stub, run)
  if (part === 'events' && last === 'poll') return poll(stub, run, url)
  if (part !== 'events') return refuse(404, 'not_found')
  const fault = streamFault(url, stub.fault)
  if (fault !== null) return { status: 400, body: fault }
  if (request.headers.accept?.includes('application/json')) return { status: 200, body: { events: run.events } }
  serveStream(request, response, run, snapshotOf, stub.fault)
  return null
}
