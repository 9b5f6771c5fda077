// Paces drawing, so that a slow device has time for touches and scrolling.

const REST = 3;

/** Returns a function that calls `draw` in a next frame, after a rest of three times what drawing took last. */
export function paced(draw) {
  let waits = false;
  let rested = 0;
  const frame = () => {
    const start = performance.now();
    waits = false;
    draw();
    // A task after the frame: by then it was laid out and painted.
    setTimeout(() => {
      const end = performance.now();
      rested = end + REST * (end - start);
    });
  };
  return () => {
    if (waits) return;
    waits = true;
    const rest = rested - performance.now();
    if (rest > 0) setTimeout(() => requestAnimationFrame(frame), rest);
    else requestAnimationFrame(frame);
  };
}
