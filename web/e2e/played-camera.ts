/**
 * Runs in the page: a camera that shows a drawn person in the given colour, so that people can be
 * told apart, five pictures a second. Stops silently on the event "freeze-camera".
 */
export function playCamera(hue: number): void {
  const original = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = async (constraints) => {
    if (!constraints?.video) return original(constraints);
    const canvas = document.createElement("canvas");
    canvas.width = 1280;
    canvas.height = 720;
    const context = canvas.getContext("2d");
    let frame = 0;
    const draw = () => {
      frame += 1;
      if (!context) return;
      const sway = Math.sin(frame / 3) * 10;
      context.fillStyle = `hsl(${hue} 28% 34%)`;
      context.fillRect(0, 0, 1280, 720);
      context.fillStyle = `hsl(${hue} 30% 44%)`;
      context.fillRect(120, 90, 260, 340);
      context.fillStyle = `hsl(${hue} 42% 72%)`;
      context.beginPath();
      context.ellipse(640, 790, 330, 300, 0, 0, 7);
      context.fill();
      context.fillStyle = `hsl(${(hue + 30) % 360} 45% 80%)`;
      context.beginPath();
      context.arc(640 + sway, 330, 150, 0, 7);
      context.fill();
    };
    const timer = setInterval(draw, 200);
    window.addEventListener("freeze-camera", () => clearInterval(timer));
    return canvas.captureStream(5);
  };
}

/** Runs in the page: shares a drawn slide, because a headless browser has no screen to choose. */
export function playScreen(): void {
  navigator.mediaDevices.getDisplayMedia = async () => {
    const canvas = document.createElement("canvas");
    canvas.width = 1280;
    canvas.height = 720;
    const context = canvas.getContext("2d");
    let frame = 0;
    setInterval(() => {
      frame += 1;
      if (!context) return;
      context.fillStyle = "white";
      context.fillRect(0, 0, 1280, 720);
      context.fillStyle = "midnightblue";
      context.font = "600 64px sans-serif";
      context.fillText("What we do next", 90, 140);
      for (let bar = 0; bar < 6; bar += 1) {
        context.fillStyle = bar === frame % 6 ? "teal" : "lightsteelblue";
        context.fillRect(90 + bar * 180, 600 - bar * 60, 120, 60 + bar * 60);
      }
    }, 250);
    return canvas.captureStream(5);
  };
}

/** Runs in the page: there is no camera and no microphone. */
export function playNothing(): void {
  navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("", "NotFoundError"));
}
