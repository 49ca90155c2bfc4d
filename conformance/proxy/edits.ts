// Small changes to requests and answers, from which faults are put together.
import { asArray, at, isObject, type JsonObject, type RunEventDoc } from '../harness.ts'
import type { Fault, ProxiedAnswer, ProxiedRequest } from './proxy.ts'

const discoveryPath = '/.well-known/openwop'

/** Where entries of a ref are listed, and written. */
export const listPath = /\/memory\/[^/]+\/entries(\?|$)/

type Edit = (value: JsonObject) => JsonObject

export const member = (value: unknown): JsonObject => (isObject(value) ? value : {})

export const without =
  (name: string): Edit =>
  (value) =>
    Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))

/** Applies an edit to every object inside a value that fits, from the inside out. */
function editWhere(value: unknown, fits: (value: JsonObject) => boolean, edit: Edit): unknown {
  if (Array.isArray(value)) return value.map((item) => editWhere(item, fits, edit))
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([name, member]) => [name, editWhere(member, fits, edit)])
  const inner = Object.fromEntries(members) as JsonObject
  return fits(inner) ? edit(inner) : inner
}

const isEntry = (value: JsonObject): boolean =>
  typeof value.id === 'string' && typeof value.content === 'string' && Array.isArray(value.tags)

const isWritten = (value: JsonObject): boolean => value.type === 'memory.written' && isObject(value.payload)

/** A fault of answers; those whose request does not fit stay as they are. */
const ofAnswers = (
  fits: (request: ProxiedRequest, answer: ProxiedAnswer) => boolean,
  edit: (body: JsonObject, request: ProxiedRequest) => unknown,
): Fault => ({
  answer: (answer, request) =>
    isObject(answer.body) && fits(request, answer) ? { ...answer, body: edit(answer.body, request) } : answer,
})

const isOk = ({ status }: ProxiedAnswer): boolean => status >= 200 && status < 300
const isRunRead = ({ method, path }: ProxiedRequest): boolean => method === 'GET' && /^\/v1\/runs\/[^/?]+$/.test(path)
const isLogRead = ({ method, path }: ProxiedRequest): boolean =>
  method === 'GET' && /^\/v1\/runs\/[^/]+\/events/.test(path)

export const inDiscovery = (edit: Edit): Fault => ofAnswers(({ path }) => path === discoveryPath, edit)

export const inEntries = (edit: Edit): Fault =>
  ofAnswers(
    (_, answer) => isOk(answer),
    (body) => editWhere(body, isEntry, edit),
  )

export const inVariables = (edit: Edit): Fault =>
  ofAnswers(isRunRead, (body) => (isObject(body.variables) ? { ...body, variables: edit(body.variables) } : body))

export const inWritten = (edit: (event: JsonObject) => JsonObject): Fault =>
  ofAnswers(isLogRead, (body) => editWhere(body, isWritten, edit))

/** The members of an answer to one path, whatever its method. */
export const inAnswersTo = (path: RegExp, edit: (body: JsonObject, request: ProxiedRequest) => unknown): Fault =>
  ofAnswers((request, answer) => path.test(request.path) && isOk(answer), edit)

export const inRequestsTo = (path: RegExp, edit: (request: ProxiedRequest) => ProxiedRequest): Fault => ({
  request: (request) => (path.test(request.path) ? edit(request) : request),
})

export const inBodies = (fits: (body: JsonObject) => boolean, edit: Edit): Fault => ({
  request: (request) => ({
    ...request,
    body: request.body === null ? null : (editWhere(request.body, fits, edit) as JsonObject),
  }),
})

/** Changes the log of forks only: the proxy remembers which runs were made by a fork. */
export function inForkLogs(edit: (events: RunEventDoc[]) => unknown[]): Fault {
  const forks = new Set<string>()
  return {
    answer(answer, request) {
      if (request.path.endsWith(':fork')) forks.add(String(at(answer.body, 'runId')))
      const runId = /^\/v1\/runs\/([^/]+)\/events/.exec(request.path)?.[1]
      if (runId === undefined || !forks.has(runId) || !isObject(answer.body)) return answer
      return { ...answer, body: { ...answer.body, events: edit(asArray(answer.body.events) as RunEventDoc[]) } }
    },
  }
}

/** Requests with the second key are treated as the first tenant's. */
export const mixTenants = (path: RegExp, keys: { readonly from: string; readonly to: string }): Fault =>
  inRequestsTo(path, (request) => (request.key === keys.from ? { ...request, key: keys.to } : request))
