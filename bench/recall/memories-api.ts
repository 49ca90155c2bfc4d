import { setTimeout as delay } from 'node:timers/promises'
import { benchKey } from '../servers.ts'
import type { Corpus, Session } from './corpora.ts'

const service = 'recall-bench'
const inFlight = 8

/** The public API, as any client would use it. */
export function createMemoriesApi(url: string) {
  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${benchKey}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as T
  }

  async function finished(jobId: string): Promise<void> {
    for (;;) {
      const { status } = await call<{ status: string }>('GET', `/v1/memories/jobs/${jobId}`)
      if (status === 'completed') return
      if (status === 'dead') throw new Error(`the job ${jobId} was given up`)
      await delay(5)
    }
  }

  return {
    /** One source event for every session, word for word. Sessions of a user come in their order. */
    async ingest({ users }: Corpus, mode: string): Promise<void> {
      await call('POST', '/v1/tenant/service-writers', { service_key: service }).catch((error: Error) => {
        if (!error.message.includes('409')) throw error
      })
      const add = async (user: string, { id, observedAt, turns }: Session) => {
        const { job_id } = await call<{ job_id: string }>('POST', '/v1/memories/add', {
          external_user_id: `${mode}-${user}`,
          infer: false,
          messages: turns.map(({ text }) => ({ role: 'user', content: text })),
          source: { service, event_id: `${mode}-${user}-${id}`, observed_at: observedAt },
        })
        await finished(job_id)
      }
      const waiting = [...users].map(([user, sessions]) => ({ user, sessions: [...sessions] }))
      await Promise.all(
        Array.from({ length: inFlight }, async () => {
          for (let next = waiting.shift(); next; next = waiting.shift())
            for (const session of next.sessions) await add(next.user, session)
        }),
      )
    },

    /** Waits until every text has its vector; returns how many there are. */
    async embedded(): Promise<number> {
      for (;;) {
        type Status = { working: boolean; failure: string | null; waiting: number; vectors: number }
        const status = await call<Status>('GET', '/v1/host/colophon/embeddings')
        if (!status.working) throw new Error(`the embedder does not work: ${status.failure}`)
        if (status.waiting === 0) return status.vectors
        await delay(500)
      }
    },

    /** Which turns are found, best first, and how long it took. */
    async retrieve({ users }: Corpus, mode: string, user: string, query: string) {
      const began = performance.now()
      type Found = { data: { content: string; source_event_id: string | null }[] }
      const { data } = await call<Found>('POST', '/v1/memories/retrieve', {
        external_user_id: `${mode}-${user}`,
        query,
        limit: 50,
      })
      const ms = performance.now() - began
      const ids = turnIds(users.get(user) ?? [], `${mode}-${user}-`)
      return { ms, ranked: data.map(({ content, source_event_id }) => ids.get(`${source_event_id} ${content}`) ?? '?') }
    },
  }
}

function turnIds(sessions: readonly Session[], prefix: string): Map<string, string> {
  return new Map(
    sessions.flatMap(({ id, turns }) => turns.map((turn) => [`${prefix}${id} ${turn.text}`, turn.id] as const)),
  )
}
