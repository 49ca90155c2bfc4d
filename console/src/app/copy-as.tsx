import { useRouterState } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { toCli, toCurl, toTypeScript } from './call-texts.ts'
import { forgetCalls, useRecorded } from './recorded-calls.ts'

/** The reads of the shown view as text to paste: curl, the command line, TypeScript. */
export function CopyAs() {
  const [isOpen, setOpen] = useState(false)
  const [form, setForm] = useState('curl')
  const { requests, calls } = useRecorded()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another path is another view.
  useEffect(() => forgetCalls, [path])
  const texts = { curl: toCurl(requests), cli: toCli(calls), ts: toTypeScript(calls) }
  const tab = (id: keyof typeof texts, name: string) => ({ id, name, content: <Text text={texts[id]} /> })
  return (
    <>
      <Button kind="quiet" small onClick={() => setOpen(true)} className="justify-start">
        Copy as …
      </Button>
      <Dialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title="Copy this view as …"
        description="What the console read for it. COLOPHON_KEY is your API key."
      >
        <Tabs
          value={form}
          onChange={setForm}
          tabs={[tab('curl', 'curl'), tab('cli', 'Command line'), tab('ts', 'TypeScript')]}
        />
      </Dialog>
    </>
  )
}

function Text({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false)
  return (
    <>
      <pre className="mb-3 max-h-80 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs whitespace-pre-wrap break-all">
        {text}
      </pre>
      <Button small kind="primary" onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}>
        {isCopied ? 'Copied' : 'Copy'}
      </Button>
    </>
  )
}
