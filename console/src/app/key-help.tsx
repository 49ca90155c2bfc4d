import { Dialog } from '../ui/dialog.tsx'
import { allScreens } from './screens.ts'

/** The keys of the console, in the order in which a person needs them. */
export function KeyHelp({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const keys = [
    ['Ctrl K', 'find anything, or go to a screen'],
    ['/', 'search on this screen'],
    ['?', 'these keys'],
    ...allScreens.map(({ key, name }) => [`g ${key}`, name] as const),
    ['j  k', 'next and previous item of the inbox'],
    ['1  2  …', 'choose in the inbox; Enter decides'],
    ['Esc', 'close what is open'],
  ]
  return (
    <Dialog open={open} onClose={onClose} title="Keys">
      <dl className="grid grid-cols-[6rem_1fr] gap-x-4 gap-y-1">
        {keys.map(([key, what]) => (
          <div key={key} className="contents">
            <dt>
              <kbd className="font-mono text-sm">{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
