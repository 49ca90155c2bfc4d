// In its own thread, so that the attacker's side is not measured: repeats one call.
import { request } from 'node:http'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

export type Asked = { readonly url: string; readonly key: string; readonly body?: string }

/** The result of the other callers: the duration of each call in milliseconds, and how many were refused. */
export type Met = { readonly times: readonly number[]; readonly refused: number }

/** The pause between two calls of one prober, so that it is a quiet tenant and no load. */
const pauseMs = 5

/** Calls until `stop` is called. */
export function startProbe(asked: Asked): Promise<{ stop(): Promise<Met> }> {
  const worker = new Worker(new URL(import.meta.url), { workerData: asked })
  return new Promise((resolve, reject) => {
    worker.once('error', reject)
    worker.once('message', () =>
      resolve({
        stop: () =>
          new Promise((done) => {
            worker.once('message', done)
            worker.postMessage('stop')
          }),
      }),
    )
  })
}

function ask({ url, key, body }: Asked): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const call = request(url, { method: body === undefined ? 'GET' : 'POST', headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
    call.once('error', reject)
    call.end(body)
  })
}

async function probe(asked: Asked): Promise<void> {
  const times: number[] = []
  let refused = 0
  let isOver = false
  parentPort?.once('message', () => {
    isOver = true
  })
  await ask(asked)
  parentPort?.postMessage('started')
  while (!isOver) {
    const from = performance.now()
    if ((await ask(asked)) >= 400) refused += 1
    times.push(performance.now() - from)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  parentPort?.postMessage({ times, refused } satisfies Met)
  parentPort?.close()
}

if (!isMainThread) await probe(workerData as Asked)
