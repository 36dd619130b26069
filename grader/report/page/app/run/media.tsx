import { useEffect, useRef, useState } from "preact/hooks";
import type { PageMedia, PageRun } from "../../data.ts";
import { useLoaded, usePage } from "../context.ts";
import { clock, plural, seen } from "../words.ts";

/** Where the run's time stands; moving it moves the video, and the video moves it. */
export interface Player {
  readonly at: number;
  /** Counts up when somebody asked for a place, so that the video follows; playing alone does not. */
  readonly asked: number;
  readonly seek: (ms: number) => void;
  readonly follow: (ms: number) => void;
}

/** Holds the time of a run. */
export function usePlayer(key: string): Player {
  const [state, setState] = useState({ at: 0, asked: 0 });
  useEffect(() => setState({ at: 0, asked: 0 }), [key]);
  return {
    ...state,
    seek: (ms) => setState(({ asked }) => ({ at: ms, asked: asked + 1 })),
    follow: (ms) => setState(({ asked }) => ({ at: ms, asked })),
  };
}

/** The videos and screenshots of a run; nothing when it has none. */
export function Media({ run, player }: { readonly run: PageRun; readonly player: Player }) {
  const videos = run.media.filter(({ kind }) => kind === "video");
  const shots = run.media.filter(({ kind }) => kind === "screenshot");
  const [chosen, setChosen] = useState(0);
  const video = videos[chosen] ?? videos[0];
  return (
    <div class="media">
      {videos.length > 1 ? (
        <p class="choices">
          {videos.map(({ name }, at) => (
            <button key={name} type="button" aria-pressed={at === chosen} onClick={() => setChosen(at)}>
              {seen(name)}
            </button>
          ))}
        </p>
      ) : null}
      {video === undefined ? (
        <Shots shots={shots} player={player} />
      ) : (
        <Video key={`${run.id} ${video.name}`} video={video} player={player} />
      )}
      {video !== undefined && shots.length > 0 ? (
        <details>
          <summary>{plural(shots.length, "screenshot")}</summary>
          <Shots shots={shots} player={player} />
        </details>
      ) : null}
    </div>
  );
}

function Video({ video, player }: { readonly video: PageMedia; readonly player: Player }) {
  const { source } = usePage();
  const address = useLoaded(() => source.addressOf(video), [video]);
  const ref = useRef<HTMLVideoElement>(null);
  const began = video.at_ms ?? 0;
  const isAsked = useRef(false);
  useEffect(() => {
    const element = ref.current;
    if (element === null || player.asked === 0) return;
    isAsked.current = true;
    element.currentTime = Math.max(0, (player.at - began) / 1000);
  }, [player.asked, address.kind]);
  if (address.kind === "failed") return <p class="soft">The video cannot be shown: {seen(address.why)}</p>;
  const follow = (): void => {
    const element = ref.current;
    if (element === null) return;
    if (!element.seeking) player.follow(began + element.currentTime * 1000);
    if (!element.paused && !element.ended) requestAnimationFrame(follow);
  };
  return (
    <>
      <video
        ref={ref}
        {...(address.kind === "ready" ? { src: address.value } : {})}
        controls
        muted
        playsInline
        preload="metadata"
        aria-label={`Video of the run, ${seen(video.name)}`}
        onPlay={follow}
        onSeeked={() => {
          // A marker beyond the video's end stays where it is; only a reader's own seeking moves the run's time.
          if (!isAsked.current) follow();
          isAsked.current = false;
        }}
        onLoadedMetadata={() => {
          if (ref.current !== null && player.asked > 0)
            ref.current.currentTime = Math.max(0, (player.at - began) / 1000);
        }}
      />
      {video.at_ms === undefined ? (
        <p class="soft">When this video began is not known; it is shown as if it began with the run.</p>
      ) : null}
      {video.href === undefined || video.href.startsWith("/") ? null : (
        <p class="soft">The video stands beside this file, as {seen(decodeURIComponent(video.href))}.</p>
      )}
    </>
  );
}

function Shots({ shots, player }: { readonly shots: readonly PageMedia[]; readonly player: Player }) {
  const ordered = [...shots].sort((a, b) => (a.at_ms ?? 0) - (b.at_ms ?? 0));
  const before = ordered.filter(({ at_ms: at = 0 }) => at <= player.at + 1);
  const shown = before.at(-1) ?? ordered[0];
  if (shown === undefined) return null;
  return (
    <div class="shots">
      <Shot shot={shown} />
      <p class="choices">
        {ordered.map((shot, at) => (
          <button
            key={`${shot.name} ${at}`}
            type="button"
            aria-pressed={shot === shown}
            onClick={() => player.seek(shot.at_ms ?? 0)}
          >
            {shot.at_ms === undefined ? seen(shot.name) : clock(shot.at_ms)}
          </button>
        ))}
      </p>
    </div>
  );
}

function Shot({ shot }: { readonly shot: PageMedia }) {
  const { source } = usePage();
  const address = useLoaded(() => source.addressOf(shot), [shot]);
  const when = shot.at_ms === undefined ? "" : `, ${clock(shot.at_ms)} into the run`;
  if (address.kind === "failed") return <p class="soft">The screenshot cannot be shown: {seen(address.why)}</p>;
  return address.kind === "ready" ? (
    <img src={address.value} alt={`Screenshot ${seen(shot.name)}${when}`} />
  ) : (
    <div class="img-place" />
  );
}

/** Plays or pauses the video on the page; false when there is none. */
export function togglePlay(): boolean {
  const video = document.querySelector<HTMLVideoElement>(".media video");
  if (video === null) return false;
  if (video.paused) void video.play().catch(() => undefined);
  else video.pause();
  return true;
}
