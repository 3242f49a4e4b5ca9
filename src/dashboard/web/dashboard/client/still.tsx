/** The latest still of a broadcast, kept up to date while it is on the screen. */
import { ImageOff, Video } from 'lucide-react';
import { type JSX, useEffect, useRef } from 'react';
import { useValue } from '../../shared/value.js';
import { classes } from '../../ui/classes.js';
import { useSession } from './session.js';
import { NO_STILL } from './still-reader.js';

export function Still(props: { id: string; alt: string; className?: string; isSmall?: boolean }): JSX.Element {
  const { id, alt, className, isSmall = false } = props;
  const { stills } = useSession();
  const box = useRef<HTMLDivElement>(null);
  const url = useValue(stills.of(id));
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    let hide: (() => void) | undefined;
    const observer = new IntersectionObserver((entries) => {
      const isSeen = entries.at(-1)?.isIntersecting === true;
      if (isSeen) hide ??= stills.show(id);
      else {
        hide?.();
        hide = undefined;
      }
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      hide?.();
    };
  }, [stills, id]);
  return (
    <div
      ref={box}
      className={classes('grid grid-rows-[minmax(0,1fr)] place-items-center overflow-hidden bg-black', className)}
    >
      {url === undefined ? (
        <Skeleton what={alt} />
      ) : url === NO_STILL ? (
        <ImageOff size={isSmall ? 16 : 28} className="text-white opacity-40" aria-hidden="true" />
      ) : (
        <img src={url} alt={alt} decoding="async" className="size-full object-contain" />
      )}
    </div>
  );
}

/** Before the first still. `what`: what is expected; '' where the text beside it says so. */
function Skeleton({ what }: { what: string }): JSX.Element {
  const label = what === '' ? { 'aria-hidden': true } : { role: 'img', 'aria-label': 'The first picture is loading' };
  return <span {...label} className="size-full bg-line opacity-60 motion-safe:animate-pulse" />;
}

/** In a list, where other rows have a picture. */
export function NoPicture({ className }: { className?: string }): JSX.Element {
  return (
    <span className={classes('grid place-items-center rounded-sm border border-line bg-ground', className)}>
      <Video size={18} className="text-muted opacity-60" aria-hidden="true" />
    </span>
  );
}
