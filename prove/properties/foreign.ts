import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createFolder } from '../../test/support/temporary-folder.ts'
import type { LogFiles, Session } from '../product.ts'
import { duty, type Property, required, withFault } from '../property.ts'
import { upTo } from '../random.ts'

const program = fileURLToPath(new URL('../../examples/verify-log/verify_log.py', import.meta.url))

/** What the program is asked: its arguments, given the files. */
const questions = {
  checkpoint: (key: string, file: (name: keyof LogFiles) => string) => ['checkpoint', '--key', key, file('newer')],
  inclusion: (key: string, file: (name: keyof LogFiles) => string) => [
    ...['inclusion', '--key', key, '--audit', file('audit')],
    ...['--proof', file('inclusion'), file('newer')],
  ],
  consistency: (key: string, file: (name: keyof LogFiles) => string) => [
    ...['consistency', '--key', key, '--proof', file('consistency')],
    ...[file('older'), file('newer')],
  ],
} as const

type Question = keyof typeof questions

/** One change that makes the answer no. */
const forgeries: readonly { readonly question: Question; readonly name: string; forge(files: LogFiles): LogFiles }[] = [
  {
    question: 'checkpoint',
    name: 'another size',
    forge: (files) => ({ ...files, newer: files.newer.replace(/\n(\d+)\n/, (_, size) => `\n${Number(size) + 1}\n`) }),
  },
  {
    question: 'inclusion',
    name: 'another record',
    forge: (files) => ({ ...files, audit: files.audit.replaceAll(/"actor":"[^"]*"/g, '"actor":"key:mallory"') }),
  },
  {
    question: 'inclusion',
    name: 'another proof',
    forge: (files) => ({ ...files, inclusion: withOtherHash(files.inclusion) }),
  },
  {
    question: 'consistency',
    name: 'another proof',
    forge: (files) => ({ ...files, consistency: withOtherHash(files.consistency) }),
  },
  {
    question: 'consistency',
    name: 'a log that became shorter',
    forge: (files) => ({ ...files, older: files.newer, newer: files.older }),
  },
]

function withOtherHash(proof: string): string {
  const { hashes, ...others } = JSON.parse(proof) as { hashes: string[] }
  return JSON.stringify({ ...others, hashes: [Buffer.alloc(32, 1).toString('base64'), ...hashes.slice(1)] })
}

/** A proof counts when a program that shares no code with the product accepts it. */
export const foreign: Property = {
  id: 'foreign',
  title: 'A program in another language verifies the log',
  measured:
    'a checkpoint, an inclusion proof and a consistency proof are given as files to a program in Python that shares no code with the product; those that it accepts are counted, and of changed ones those that it refuses',
  needs: ['logFiles'],
  async measure({ session, scale }) {
    const accepted: boolean[] = []
    const refused: boolean[] = []
    for (const round of upTo(scale)) {
      const tenant = `foreign-${round}`
      const files = await filesOf(session, tenant, 3 + round)
      for (const question of Object.keys(questions) as Question[]) accepted.push(await ask(question, files))
      for (const { question, forge } of forgeries) refused.push(!(await ask(question, forge(files))))
    }
    const countOf = (answers: readonly boolean[]) => answers.filter(Boolean).length
    return [
      duty('proofs accepted', countOf(accepted), accepted.length),
      duty('forgeries refused', countOf(refused), refused.length),
    ]
  },
  control: {
    fault: 'the server proves another record than the one that was asked for',
    shows: ['proofs accepted'],
    plant(session) {
      const logFiles = required(session, 'logFiles')
      return withFault(session, {
        async logFiles(tenant, grow) {
          const files = await logFiles(tenant, grow)
          return { ...files, inclusion: withOtherHash(files.inclusion) }
        },
      })
    },
  },
}

async function filesOf(session: Session, tenant: string, events: number): Promise<LogFiles> {
  const scope = { tenant, user: 'ada' }
  const ingest = async (text: string) => {
    await session.ingest({ scope, event: text, text })
    await session.settle()
  }
  for (const event of upTo(events)) await ingest(`Ada owns boat number ${event}.`)
  return required(session, 'logFiles')(tenant, () => ingest('Ada sold a boat.'))
}

async function ask(question: Question, files: LogFiles): Promise<boolean> {
  const folder = createFolder()
  try {
    for (const [name, content] of Object.entries(files)) writeFileSync(folder.file(name), content)
    return await runPython([program, ...questions[question](files.key, (name) => folder.file(name))])
  } finally {
    folder.remove()
  }
}

function runPython(args: readonly string[]): Promise<boolean> {
  return new Promise((resolve, reject) => {
    execFile('python3', args, { timeout: 60_000 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout.startsWith('valid: '))
      else if (stderr.startsWith('not valid: ')) resolve(false)
      else reject(new Error(`python3 is needed, and its program failed: ${error.message}`))
    })
  })
}
