// A job that fails once and is retried; its write and its completion are stored in one transaction.
import { JobError, openColophon } from '../src/index.ts'

const colophon = await openColophon({ inMemory: true, actor: 'example' })
const memory = colophon.memory('acme')
const jobs = colophon.jobs('acme')

colophon.worker({
  handlers: {
    'count-words': async (job) => {
      console.log(`attempt ${job.attempt}`)
      // The message of a JobError is stored with the job; of any other error only the class is.
      if (job.attempt === 1) throw new JobError('not_ready', 'The text is still being written.')
      const { text } = job.payload as { text: string }
      const content = `${text.split(/\s+/).length} words`
      await memory.put('statistics', { content }, { completes: job.lease })
    },
  },
})

const jobId = await jobs.enqueue({ kind: 'count-words', payload: { text: 'four words and more' } })

// The change stream returns every change in order, without content, and at once for writes of this process.
for await (const change of memory.changes({ after: 0 })) {
  const [id = ''] = change.entryIds
  const entry = await memory.get(change.memoryRef, id)
  console.log(`position ${change.position}: ${entry?.content}`)
  break
}

const job = await jobs.get(jobId)
console.log(`the job is ${job?.status} after ${job?.attempts} attempts`)
await colophon.close()

// Prints:
// attempt 1
// attempt 2
// position 1: 4 words
// the job is completed after 2 attempts
