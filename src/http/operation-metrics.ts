import { Counter, Histogram, type Registry } from 'prom-client'
import { onMeasurement } from '../telemetry/measurement.ts'
import type { App } from './route-context.ts'

/** Histogram buckets in seconds: from a cached read to a slow model call. */
export const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Counters and histograms of commits, job attempts, nodes, webhook deliveries and model calls of this process, by outcome. */
export function measureOperations(app: App, registry: Registry): void {
  const registers = [registry]
  const counter = (name: string, help: string, ...labels: string[]) =>
    new Counter({ name: `colophon_${name}_total`, help, labelNames: [...labels, 'outcome'], registers })
  const histogram = (name: string, help: string, ...labelNames: string[]) =>
    new Histogram({ name: `colophon_${name}_seconds`, help, labelNames, buckets, registers })
  const counts = {
    commit: counter('commits', 'Commits, by operation', 'operation'),
    job: counter('job_attempts', 'Attempts of jobs, by kind', 'kind'),
    node: counter('nodes', 'Executed nodes of runs, by type', 'type'),
    webhook: counter('webhook_deliveries', 'Attempts to deliver to a webhook'),
    model: counter('model_calls', 'Calls of models, by purpose', 'purpose'),
  }
  const durations = {
    commit: histogram('commit', 'Time of a commit, with its wait for a transaction'),
    job: histogram('job_attempt', 'Time of an attempt of a job', 'kind'),
    node: histogram('node', 'Time of a node of a run', 'type'),
    webhook: histogram('webhook_delivery', 'Time of a delivery to a webhook'),
    model: histogram('model_call', 'Time of a call of a model', 'purpose'),
  }
  const waits = histogram('job_wait', 'Time between when a job was due and when it started')
  const stop = onMeasurement(({ name, labels, outcome, ms, waitedMs }) => {
    counts[name].inc({ ...labels, outcome })
    durations[name].observe(name === 'commit' ? {} : labels, ms / 1_000)
    if (name === 'job') waits.observe(Math.max(waitedMs, 0) / 1_000)
  })
  app.addHook('onClose', async () => stop())
}
