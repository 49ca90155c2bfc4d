import { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import pg from 'pg'

export type Counted = {
  /** Statements sent to the database, without those that begin and end transactions. */
  readonly statements: number
  /** Transactions that wrote something. */
  readonly commits: number
  /** Rows that statements inserted, changed or deleted. */
  readonly rowsWritten: number
  /** Bytes of texts and blobs that those statements were given. */
  readonly bytesWritten: number
  /** Messages to worker threads. */
  readonly messages: number
}

const nothing: Counted = { statements: 0, commits: 0, rowsWritten: 0, bytesWritten: 0, messages: 0 }
const counted: Record<keyof Counted, number> = { ...nothing }
const polls = new Set<string>()
const seen = new Map<string, number>()
/** Connections whose transaction has written something. */
const written = new WeakSet<object>()

/** Numbers are left out: some grow by a digit during the test. */
function bytesOf(values: unknown): number {
  if (typeof values === 'string') return Buffer.byteLength(values)
  if (ArrayBuffer.isView(values)) return values.byteLength
  if (typeof values !== 'object' || values === null) return 0
  return Object.values(values).reduce((sum: number, value) => sum + bytesOf(value), 0)
}

function count(connection: object, sql: string, rowsWritten: number, values: unknown): void {
  const text = sql.replace(/\s+/g, ' ').trim().toLowerCase()
  if (text === 'commit') {
    if (written.delete(connection)) counted.commits += 1
  } else if (/^(begin|rollback)\b/.test(text)) written.delete(connection)
  else if (!polls.has(text)) {
    seen.set(text, (seen.get(text) ?? 0) + 1)
    counted.statements += 1
    counted.rowsWritten += rowsWritten
    if (rowsWritten === 0) return
    counted.bytesWritten += bytesOf(values)
    written.add(connection)
  }
}

/** What an idle host asks by itself, again and again, is not counted from now on. */
export function leaveOutPolls(): void {
  for (const text of seen.keys()) polls.add(text)
  seen.clear()
}

/** The statements since the last call of this, each with how often it was sent. */
export function takeStatements(): ReadonlyMap<string, number> {
  const taken = new Map(seen)
  seen.clear()
  return taken
}

type Method = (this: { source: string; database: object }, ...values: unknown[]) => unknown

/** Counts what every database driver in this process is asked for from now on. */
export function countStatements(): void {
  const statement = Object.getPrototypeOf(new Database(':memory:').prepare('select 1')) as Record<string, Method>
  for (const name of ['run', 'get', 'all', 'iterate']) {
    const original = statement[name] as Method
    statement[name] = function (...values) {
      const answer = original.apply(this, values)
      count(this.database, this.source, name === 'run' ? (answer as { changes: number }).changes : 0, values)
      return answer
    }
  }
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown
  pg.Client.prototype.query = function (this: object, ...args: unknown[]) {
    const asked = args[0] as string | { text: string; values?: unknown }
    const sql = typeof asked === 'string' ? asked : asked.text
    const values = typeof asked === 'string' ? args[1] : asked.values
    const done = (answer?: pg.QueryResult) =>
      count(this, sql, /^(INSERT|UPDATE|DELETE)$/.test(answer?.command ?? '') ? (answer?.rowCount ?? 0) : 0, values)
    const callback = args.at(-1)
    // A pool calls it with a function, everything else waits for a promise.
    if (typeof callback === 'function') {
      const notify = (error: Error | null, answer?: pg.QueryResult) => {
        done(answer)
        callback(error, answer)
      }
      return query.apply(this, [...args.slice(0, -1), notify])
    }
    const answer = query.apply(this, args) as Promise<pg.QueryResult>
    answer.then(done, () => done())
    return answer
  } as never
  const post = Worker.prototype.postMessage
  Worker.prototype.postMessage = function (...args: Parameters<typeof post>) {
    counted.messages += 1
    return post.apply(this, args)
  }
}

/** What was counted since the last call of this. */
export function takeCounts(): Counted {
  const taken = { ...counted }
  Object.assign(counted, nothing)
  return taken
}
